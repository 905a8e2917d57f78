"""Engines, each in a process of its own, all of them on the same cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any

from bench.runs import Run

CORES = 2

_engine: Any = None


@contextmanager
def only(cores: int) -> Iterator[None]:
    """Let this process, and those that it starts meanwhile, use no more cores."""
    all_cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(all_cores)[:cores])
    try:
        yield
    finally:
        os.sched_setaffinity(0, all_cores)


class EngineFailed(Exception):
    """The engine could not answer."""


class Child:
    """A process that runs one engine, started at its first run."""

    def __init__(self, engine: Callable[[int], Any], cores: int = CORES) -> None:
        self.engine, self.cores = engine, cores
        self._new_pool()

    def run(self, *what: Any) -> Run:
        try:
            return self.pool.submit(_run, what).result()
        except BrokenProcessPool:
            self._new_pool()
            raise EngineFailed("its process died, as it does when memory runs out") from None

    def stop(self) -> None:
        self.pool.shutdown()

    def _new_pool(self) -> None:
        self.pool = ProcessPoolExecutor(
            1, get_context("spawn"), initializer=_start, initargs=(self.engine, self.cores)
        )


def _start(engine: Callable[[int], Any], cores: int) -> None:
    global _engine
    _engine = engine(cores)


def _run(what: tuple[Any, ...]) -> Run:
    try:
        run: Run = _engine.run(*what)
        return run
    except Exception as error:  # those of Java cannot be sent from process to process
        raise EngineFailed(str(error)) from None
