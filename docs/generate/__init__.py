"""The parts of the documentation that are made from the code, so that they cannot drift from it.

`make pages` writes them; `tests/docs/test_generated.py` fails when one is stale.
"""
