"""Processes with engines, found by the label of a question."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from bench.children import CORES, Child, only
from bench.work import engine_of

Kinds = Mapping[str, Callable[[int], Any]]


class Engines:
    def __init__(self, kinds: Kinds, cores: int) -> None:
        self.kinds = kinds
        self.children = {kind: Child(kind, cores) for kind in set(kinds.values())}

    def of(self, label: str) -> Child:
        return self.children[self.kinds[engine_of(label)]]


@contextmanager
def engines(kinds: Kinds, cores: int = CORES) -> Iterator[Engines]:
    """Processes start when they are first used, with the cores of this one, and end here."""
    started = Engines(kinds, cores)
    with only(cores):
        try:
            yield started
        finally:
            for child in started.children.values():
                child.stop()
