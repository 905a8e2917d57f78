"""The aggregates of random queries as classes of Python's: they mean the same as those in SQL."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import spark_csql


class Mean:
    def initialize(self, n: float | None) -> None:
        self.total, self.count = n or 0.0, int(n is not None)

    def iterate(self, n: float | None) -> None:
        if n is not None:
            self.total += n
            self.count += 1

    def terminate(self) -> Iterator[float | None]:
        yield self.total / self.count if self.count else None


class Sum:
    def initialize(self, n: float | None) -> None:
        self.total = n

    def iterate(self, n: float | None) -> None:
        if n is not None:
            self.total = (self.total or 0.0) + n

    def terminate(self) -> Iterator[float | None]:
        yield self.total


class Delta:
    total, count = 0.0, 0

    def iterate(self, n: float | None) -> tuple[float, int]:
        self.total += n or 0.0
        self.count += 1
        return (self.total, self.count)

    def expire(self, n: float | None) -> dict[str, Any]:
        self.total -= n or 0.0
        self.count -= 1
        return {"s": self.total, "c": self.count}


class Largest:
    window: Any

    def iterate(self, n: int | None) -> tuple[int | None, int]:
        if n is not None:
            self.window.delete(lambda row: row.n is None or row.n < n)
        return self.expire(n)

    def expire(self, n: int | None) -> tuple[int | None, int]:
        oldest = self.window.oldest
        return (oldest and oldest.n, len(self.window))


class Naive:
    window: Any

    def iterate(self, n: float | None) -> Iterator[float | None]:
        known = [row.n for row in self.window if row.n is not None]
        yield sum(known) / len(known) if known else None


class Running:
    total = 0

    def iterate(self, n: int | None) -> int:
        self.total += n or 0
        return self.total


class Counts:
    def __init__(self) -> None:
        self.seen: Counter[int] = Counter()

    def iterate(self, n: int | None) -> str | None:
        if n is None:
            return None
        self.seen[n] += 1
        return f"{n}x{self.seen[n]}"


class Top:
    def __init__(self) -> None:
        self.kept: list[int] = []

    def iterate(self, n: int | None) -> None:
        if n is not None:
            self.kept.append(n)

    def terminate(self) -> Iterator[int]:
        yield from sorted(self.kept, reverse=True)[:2]


TWINS: dict[str, tuple[type, bool]] = {
    "mean_of(n DOUBLE) : DOUBLE": (Mean, False),
    "sum_of(n DOUBLE) : DOUBLE": (Sum, False),
    "delta_of(n DOUBLE) : STRUCT<s: DOUBLE, c: INT>": (Delta, True),
    "largest_of(n INT) : STRUCT<m: INT, held: BIGINT>": (Largest, True),
    "naive_of(n DOUBLE) : DOUBLE": (Naive, True),
    "running_of(n INT) : BIGINT": (Running, False),
    "counts_of(n INT) : STRING": (Counts, False),
    "top_of(n INT) : INT": (Top, False),
}


def register(session: Any) -> None:
    """They take the place of those in SQL."""
    for declaration, (of, window) in TWINS.items():
        spark_csql.aggregate(session, declaration, of, window=window, replace=True)
