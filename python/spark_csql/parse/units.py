"""The units of the language, singular and plural, in any case."""

from __future__ import annotations

from dataclasses import dataclass

_SECOND = 1_000_000


@dataclass(frozen=True)
class Unit:
    """``micros`` of a time unit; None for tuples and for bare numbers."""

    name: str
    micros: int | None = None

    @property
    def kind(self) -> str:
        return "time" if self.micros else self.name


TUPLES = Unit("tuples")
BARE = Unit("bare numbers")
_TIME = [
    Unit("Microsecond", 1),
    Unit("Millisecond", 1000),
    Unit("Second", _SECOND),
    Unit("Minute", 60 * _SECOND),
    Unit("Hour", 3600 * _SECOND),
    Unit("Day", 86400 * _SECOND),
]
UNITS: dict[str, Unit] = {
    word: unit
    for name, unit in [*((unit.name, unit) for unit in _TIME), ("Tuple", TUPLES), ("Row", TUPLES)]
    for word in (name.upper(), name.upper() + "S")
}
TIME_UNITS = ", ".join(unit.name + "s" for unit in _TIME)
ALL_UNITS = f"Tuples, Rows, {TIME_UNITS}"


def suggestion(word: str) -> str:
    """`` Did you mean Minutes?``, if some unit is at most two letters away."""
    nearest = min(sorted(UNITS), key=lambda unit: _distance(word, unit))
    if len(word) <= 16 and _distance(word, nearest) <= 2:
        return f" Did you mean {nearest.capitalize()}?"
    return ""


def _distance(a: str, b: str) -> int:
    if abs(len(a) - len(b)) > 2:
        return len(a) + len(b)
    above = list(range(len(b) + 1))
    for letter in a:
        row = [above[0] + 1]
        for j, other in enumerate(b):
            row.append(min(above[j] + (other != letter), row[-1] + 1, above[j + 1] + 1))
        above = row
    return above[-1]
