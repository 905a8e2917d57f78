"""Refuses parts of a clause that contradict each other, or miss something."""

from __future__ import annotations

from collections.abc import Iterable

from spark_csql.parse.clause import WINDOWS, Part
from spark_csql.parse.problem import Refused, refusal
from spark_csql.parse.units import ALL_UNITS, BARE, TUPLES

_LENGTH_ONLY = "Only a window of a given length, as in [Range 1 Hour], can lag."


def check(parts: list[Part]) -> None:
    window = _single(parts, WINDOWS)
    sampling = _single(parts, ["sampling"])
    lag = _single(parts, ["lag"])
    origin = _single(parts, ["origin"])
    on = _single(parts, ["on"])
    for part in parts:
        _check_partitioning(part)
    _check_units(parts)
    if lag:
        _check_lag(lag, window)
    tumble = window if window and window.kind == "tumble" else None
    if sampling and tumble:
        raise _contradiction(*_later(sampling, tumble), "A tumbling window has its frequency already.")
    frequency = sampling or tumble
    if frequency is None:
        if origin:
            raise _incomplete(
                origin,
                "a frequency to begin",
                "Write for example [Frequency 1 Minute Origin TIMESTAMP '2026-01-01 00:00:00'].",
            )
        if window is None and on:
            raise _incomplete(
                on, "a window or a frequency beside it", "Write for example [Range 1 Hour On ts]."
            )
    elif origin and frequency.length and frequency.length.unit == TUPLES:
        raise _contradiction(origin, frequency, "Only a frequency in time has an origin.")


def _check_lag(lag: Part, window: Part | None) -> None:
    if window is None:
        raise _incomplete(lag, "a window to shift", "Write for example [Range 1 Hour Lag 10 Minutes].")
    if window.length is None:
        raise _contradiction(*_later(lag, window), _LENGTH_ONLY)
    assert lag.length is not None
    if lag.length.unit.kind != window.length.unit.kind:
        raise refusal(
            "CSQL_UNIT_MISMATCH",
            lag.length.first,
            lag.length.last,
            part="Lag",
            unit=lag.length.unit.kind,
            other="the window",
            otherUnit=window.length.unit.kind,
        )


def _check_units(parts: list[Part]) -> None:
    """A stream is ordered by a time or by a number: one clause cannot count in both."""
    counted = [(part, part.length) for part in parts if part.length and part.kind != "lag"]
    if not any(length.unit.micros for _, length in counted):
        return
    for part, length in counted:
        if length.unit == BARE:
            raise refusal(
                "CSQL_UNIT_MISSING",
                length.first,
                length.last,
                length=str(length.value),
                part=part.name,
                units=ALL_UNITS,
            )


def _check_partitioning(part: Part) -> None:
    if part.by and part.kind not in ("sized", "tumble", "sampling"):
        raise refusal(
            "CSQL_CLAUSE_CONTRADICTORY",
            part.by.first,
            part.by.last,
            part="Partition By",
            other=part.name,
            hint="Partition a window of a given length, as in [Partition By a Rows 10], or a Frequency.",
        )


def _single(parts: list[Part], kinds: Iterable[str]) -> Part | None:
    """The only part of its kind; a second one is refused at its place."""
    found = [part for part in parts if part.kind in kinds]
    if len(found) > 1:
        first, second = found[:2]
        if second.name != first.name:
            raise _contradiction(second, first, "Keep one of them.")
        raise refusal("CSQL_CLAUSE_DOUBLED", second.first, second.last, part=second.name)
    return found[0] if found else None


def _later(a: Part, b: Part) -> tuple[Part, Part]:
    return (a, b) if a.first.start > b.first.start else (b, a)


def _incomplete(part: Part, missing: str, hint: str) -> Refused:
    return refusal(
        "CSQL_CLAUSE_INCOMPLETE", part.first, part.last, part=part.name, missing=missing, hint=hint
    )


def _contradiction(part: Part, other: Part, hint: str) -> Refused:
    return refusal(
        "CSQL_CLAUSE_CONTRADICTORY", part.first, part.last, part=part.name, other=other.name, hint=hint
    )
