"""Plots: drawn into docs/benchmarks as small pictures, and in the terminal."""

from __future__ import annotations

import math
from collections.abc import Mapping
from zlib import crc32

import plotext
from matplotlib import colormaps
from matplotlib.figure import Figure
from rich.bar import Bar
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bench.data import ROOT
from bench.flame import Tree
from bench.flame import bars as flame_bars

PICTURES = ROOT / "docs" / "benchmarks"
FLAMES = colormaps["YlOrRd"]
LETTERS, FEWEST_LETTERS = 220, 4  # in the width of a flame graph, and in a bar that has a name
HIGHEST = 40  # frames upon each other


def lines(name: str, title: str, x: str, y: str, series: Mapping[str, Mapping[float, float]]) -> str:
    """Curves on logarithmic axes; the Markdown that shows them."""
    figure = Figure(figsize=(6, 3.6), layout="constrained")
    axes = figure.subplots()
    for label, points in series.items():
        axes.plot(list(points), list(points.values()), marker="o", markersize=3, label=label)
    axes.set(title=title, xlabel=x, ylabel=y, xscale="log", yscale="log")
    axes.grid(visible=True, alpha=0.3)
    axes.legend(fontsize="small")

    terminal = plotext.figure
    terminal.clear().title(title).label(x, "x").label(y, "y").plot_size(100, 24)
    terminal.ruler("both").scale("log")
    for label, points in series.items():
        terminal.draw(terminal.signal(list(points), list(points.values())).lines().label(label))
    terminal.show()
    return _saved(figure, name, title)


def bars(name: str, title: str, x: str, groups: Mapping[str, Mapping[str, float]]) -> str:
    """Ratios, as bars that begin at 1: a group for each question; the Markdown that shows them."""
    labels = list(dict.fromkeys(label for group in groups.values() for label in group))
    figure = Figure(figsize=(8, 1 + 0.45 * len(groups)), layout="constrained")
    axes = figure.subplots()
    for place, label in enumerate(labels):
        shift = (place - (len(labels) - 1) / 2) * 0.8 / len(labels)
        found = [(row + shift, group[label]) for row, group in enumerate(groups.values()) if label in group]
        axes.barh([y for y, _ in found], [v - 1 for _, v in found], 0.8 / len(labels), left=1, label=label)
    axes.set(title=title, xlabel=x, xscale="log", yticks=range(len(groups)))
    axes.set_yticklabels(list(groups), fontsize="small")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.invert_yaxis()
    axes.legend(fontsize="small")

    table = Table("question", "engine", x, "", title=title)
    highest = max(value for group in groups.values() for value in group.values())
    lowest = min(value for group in groups.values() for value in group.values())
    for row, group in groups.items():
        for label, value in group.items():
            bar = Bar(math.log(highest / lowest) + 1, 0, math.log(value / lowest) + 1, width=40)
            table.add_row(Text(row), label, f"{value:.2f}", bar)
    Console().print(table)
    return _saved(figure, name, title)


def flame(name: str, title: str, root: Tree) -> str:
    """A bar for each frame, as long as its share of the samples, upon the frame that called it."""
    found = [bar for bar in flame_bars(root) if 0 < bar.depth <= HIGHEST]
    highest = max((bar.depth for bar in found), default=1)
    figure = Figure(figsize=(12, 1 + 0.2 * highest), layout="constrained")
    axes = figure.subplots()
    for bar in found:
        color = FLAMES(0.15 + 0.5 * (crc32(bar.name.encode()) % 100) / 100)
        axes.barh(bar.depth, bar.width, 1, left=bar.left, color=color, edgecolor="white", linewidth=0.5)
        letters = int(bar.width * LETTERS)
        if letters >= FEWEST_LETTERS:
            axes.text(
                bar.left + 0.001, bar.depth, bar.name[:letters], va="center", fontsize=6, parse_math=False
            )
    axes.set(title=title, xlim=(0, 1), ylim=(0.5, highest + 0.5), yticks=[], xlabel="share of the samples")
    return _saved(figure, name, title)


def _saved(figure: Figure, name: str, title: str) -> str:
    PICTURES.mkdir(exist_ok=True)
    figure.savefig(PICTURES / f"{name}.png", dpi=90)
    return f"![{title}]({PICTURES.name}/{name}.png)"
