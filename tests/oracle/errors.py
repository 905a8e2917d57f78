"""What may go wrong: a refusal of the language, or a question this oracle does not answer."""

from __future__ import annotations


class Refused(Exception):
    """The contract refuses the query, with this error class at this place (line, column from 1)."""

    def __init__(self, error_class: str, message: str, position: tuple[int, int] | None = None) -> None:
        super().__init__(
            f"[{error_class}] {message}" + (f" at {position[0]}:{position[1]}" if position else "")
        )
        self.error_class = error_class
        self.position = position


class NotCovered(Exception):
    """The query may be right, but the oracle does not know how to answer it."""


class Undetermined(Exception):
    """The contract leaves the answer open (ties in a top n, LIMIT without an order)."""
