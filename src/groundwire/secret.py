"""A string that cannot print itself: keys and tokens travel in this type until the moment they are sent."""

from __future__ import annotations

import hmac


class Secret:
    """Holds a key or token. `reveal()` is the only way out: printing and pickling show nothing."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The value itself, for the wire or a credential store and nowhere else."""
        return self._value

    def __repr__(self) -> str:
        return "Secret(…)"

    __str__ = __repr__

    def __bool__(self) -> bool:
        return bool(self._value)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        return hmac.compare_digest(self._value.encode(), other._value.encode())

    def __hash__(self) -> int:
        return hash(("Secret", self._value))

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a Secret is not pickled")
