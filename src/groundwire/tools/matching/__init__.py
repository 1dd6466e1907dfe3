"""Finding the place of an edit in a text without ever hitting the wrong one.

`find_edit(text, old, new)` decides and changes nothing. The way in is `find`; one file holds each
strategy; `merge` lays the change from `old` to `new` onto the file's own lines.
"""

from groundwire.tools.matching.decision import Candidate, Edit, LineRange, Reason, Refusal, Splice, Strategy
from groundwire.tools.matching.find import find_edit

__all__ = ["Candidate", "Edit", "LineRange", "Reason", "Refusal", "Splice", "Strategy", "find_edit"]
