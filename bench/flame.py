"""Flame graphs: which methods the threads of tasks are in, and who called them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

TASK = "org/apache/spark/scheduler/Task.run"  # what is below it is the same for all tasks
NARROWEST = 0.005  # of all samples; narrower frames are left out
GENERATED = re.compile(r"\$\$Lambda.*|\$GeneratedIterator\w*|\d+$")

Tree = dict[str, Any]  # "name", "samples" and "calls", the most frequent first


@dataclass(frozen=True)
class Bar:
    """A frame of the picture: ``left`` and ``width`` are shares of all samples."""

    name: str
    depth: int
    left: float
    width: float


def tree(stacks: Sequence[Sequence[str]]) -> Tree:
    """Of stacks whose innermost frame is the first."""
    return _node("tasks", [_outermost_first(stack) for stack in stacks], NARROWEST * len(stacks))


def _outermost_first(stack: Sequence[str]) -> list[str]:
    start = stack.index(TASK) if TASK in stack else len(stack)
    return [short(name) for name in reversed(stack[:start])]


def short(name: str) -> str:
    """The class without its package, and the method."""
    kind, _, method = name.rpartition(".")
    return f"{GENERATED.sub('', kind.rpartition('/')[2]) or 'generated'}.{method}"


def _node(name: str, stacks: list[list[str]], fewest: float) -> Tree:
    called = Counter(stack[0] for stack in stacks if stack)
    calls = [
        _node(callee, [stack[1:] for stack in stacks if stack[:1] == [callee]], fewest)
        for callee, samples in called.most_common()
        if samples >= fewest
    ]
    return {"name": name, "samples": len(stacks), "calls": calls}


def bars(root: Tree) -> Iterator[Bar]:
    return _bars(root, 0, 0, max(1, root["samples"]))


def _bars(node: Tree, depth: int, left: int, all_samples: int) -> Iterator[Bar]:
    yield Bar(node["name"], depth, left / all_samples, node["samples"] / all_samples)
    for call in node["calls"]:
        yield from _bars(call, depth + 1, left, all_samples)
        left += call["samples"]
