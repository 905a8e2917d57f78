"""One thing to do, and how each engine is asked to do it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

OURS = "spark-csql"
Question = str | Callable[[Any], Any]
Questions = dict[str, Question]


@dataclass(frozen=True)
class Work:
    name: str
    columns: Sequence[str]  # none: the answer is thrown away as it comes
    questions: Questions = field(repr=False)
    axis: Literal["seq", "id"] = "seq"  # along which it is cut if it takes too long
