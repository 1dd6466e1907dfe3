"""A browser that only writes down the address it is given, for whoever drives the real one."""

import sys
from pathlib import Path

note, address = sys.argv[1:3]
part = Path(note + ".part")
part.write_text(address, encoding="utf-8")
part.rename(note)
