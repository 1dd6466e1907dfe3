"""`python -m groundwire` is the command `groundwire`."""

import sys

from groundwire.cli import main

sys.exit(main())
