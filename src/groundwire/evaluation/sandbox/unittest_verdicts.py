"""A program that runs unittest tests by name in the current folder and prints `PASSED name` or `FAILED name`.

It stands alone on the standard library, because it is run by the Python of the tests.
"""

import os
import sys
import unittest
from typing import Any

passed = set("")


class Verdicts(unittest.TextTestResult):
    """A result that remembers which tests passed."""

    def addSuccess(self, test: unittest.TestCase) -> None:  # noqa: N802  (unittest's name)
        """The test passed."""
        super().addSuccess(test)
        passed.add(test.id())


def main() -> int:
    """Run the tests named by the arguments; the verdicts come last."""
    sys.path.insert(0, os.getcwd())
    suite = unittest.TestSuite(map(unittest.defaultTestLoader.loadTestsFromName, sys.argv[1:]))
    verdicts: Any = Verdicts
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=0, resultclass=verdicts).run(suite)
    for name in sys.argv[1:]:
        print("PASSED" if name in passed else "FAILED", name, flush=True)  # noqa: T201
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
