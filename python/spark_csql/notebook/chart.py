"""A chart of an answer's rows, chosen from its columns."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.dates import date2num
from matplotlib.figure import Figure
from pyspark.sql.types import DateType, NumericType, StructType, TimestampNTZType, TimestampType

MOST_SERIES = 10
_TIMES = (TimestampType, TimestampNTZType, DateType)


@dataclass(frozen=True)
class Chart:
    """Lines over a time, or bars of the newest value of each name; columns are told by their places."""

    kind: str  # "line" or "bar"
    along: int
    value: int
    series: int | None
    """What parts the lines."""


def chosen(schema: StructType) -> Chart | None:
    """A number over the first time; without a time, a number for each name; without a number, nothing."""
    times = [i for i, field in enumerate(schema) if isinstance(field.dataType, _TIMES)]
    numbers = [i for i, field in enumerate(schema) if isinstance(field.dataType, NumericType)]
    if not numbers:
        return None
    value = numbers[-1]  # keys stand before what is counted of them
    names = [i for i in range(len(schema)) if i not in times and i != value]
    if times:
        return Chart("line", times[0], value, names[0] if names else None)
    return Chart("bar", names[0], value, None) if names else None


def drawn(chart: Chart, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """The chart as SVG."""
    figure = Figure(figsize=(7, 3), layout="constrained")
    axes = figure.subplots()
    complete = [row for row in rows if row[chart.along] is not None and row[chart.value] is not None]
    if chart.kind == "bar":
        newest = {str(row[chart.along]): float(str(row[chart.value])) for row in complete}
        axes.bar(list(newest), list(newest.values()))
    else:
        series: dict[str, list[Sequence[object]]] = {}
        for row in complete:
            series.setdefault("" if chart.series is None else str(row[chart.series]), []).append(row)
        for name, part in list(series.items())[-MOST_SERIES:]:
            along = date2num([row[chart.along] for row in part])  # type: ignore[no-untyped-call]
            axes.plot(along, [float(str(row[chart.value])) for row in part], marker=".", label=name)
        if len(series) > 1:
            axes.legend(fontsize="small")
        axes.xaxis_date()
    axes.set_xlabel(columns[chart.along])
    axes.set_ylabel(columns[chart.value])
    out = io.StringIO()
    figure.savefig(out, format="svg")
    text = out.getvalue()
    return text[text.index("<svg") :]
