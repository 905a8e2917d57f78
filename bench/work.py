"""One thing to do, and how each engine is asked to do it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

OURS = "spark-csql"
Questions = dict[str, Any]  # by label: what the engine makes of it is its own affair


def engine_of(label: str) -> str:
    """A label is the name of an engine, and behind a comma a formulation where there are several."""
    return label.split(",")[0]


@dataclass(frozen=True)
class Work:
    name: str
    columns: Sequence[str]  # none: the answer is thrown away as it comes
    questions: Questions = field(repr=False)
    axis: Literal["seq", "id", "site"] = "seq"  # along which it is cut if it takes too long
