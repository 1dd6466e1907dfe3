"""What an address of the Gemini API asks for, whatever stands before it.

/v1beta/models/MODEL:METHOD            a method of a model
/v1beta/models, /v1beta/models/MODEL   which models there are
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote

METHODS = ("generateContent", "streamGenerateContent", "countTokens")
"""What every way to Gemini can do: the Gemini API, Vertex AI and Code Assist."""

_PATH = re.compile(
    r"/(?:v1|v1beta|v1alpha)/models/(?P<model>[^/:?#]+):(?P<method>[A-Za-z]+)(?:\?(?P<query>.*))?\Z"
)
_LIST = re.compile(r"/(?:v1|v1beta|v1alpha)/models(?:/(?P<model>[^/:?#]+))?(?:\?.*)?\Z")
_EVENTS = re.compile(r"(?:^|&)(?:\$|%24)?alt=sse(?:&|$)")


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A method of a model. `events` says that a stream was asked for as server-sent events."""

    model: str
    method: str
    events: bool = False

    @property
    def streams(self) -> bool:
        """Whether the answer comes in pieces."""
        return self.method == "streamGenerateContent"


def model_call(target: str) -> ModelCall | None:
    """The call a URL, or a path with its query, stands for; None when it is not a call of a model.

    Google's servers take `alt` also as `$alt`.
    """
    found = _PATH.search(target)
    if found is None:
        return None
    method = found["method"]
    events = method == "streamGenerateContent" and _EVENTS.search(found["query"] or "") is not None
    return ModelCall(unquote(found["model"]), method, events)


@dataclass(frozen=True, slots=True)
class ModelList:
    """A question for all models, or what is said about one."""

    model: str | None = None


def model_list(target: str) -> ModelList | None:
    """The question for models a URL, or a path with its query, stands for; None when it is something else."""
    found = _LIST.search(target)
    if found is None:
        return None
    return ModelList(None if found["model"] is None else unquote(found["model"]))
