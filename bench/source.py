"""Which rows of the data a run reads."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from bench.data import Data

PARTS = 256


@dataclass(frozen=True)
class Source:
    """The first ``parts`` of 256 parts of the data, by time or by machine.

    Windows of one machine's rows are as long on some of the machines as on all, not so on the first hours.
    """

    data: Data
    axis: Literal["seq", "id"] = "seq"
    parts: int = PARTS

    @cached_property
    def limit(self) -> int:
        every = self.data.rows if self.axis == "seq" else self.data.keys
        return max(1, every * self.parts // PARTS)

    @property
    def rows(self) -> int:
        return self.limit if self.axis == "seq" else self.data.rows * self.limit // self.data.keys

    @property
    def whole(self) -> bool:
        return self.parts == PARTS

    @property
    def condition(self) -> str:
        if self.whole:
            return "true"
        return f"seq <= {self.limit}" if self.axis == "seq" else f"id < {self.limit}"
