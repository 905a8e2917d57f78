"""The benchmark measures what it says. (Whether the engines agree is in test_bench_questions.py.)"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench import data
from bench.answers import agree
from bench.data import Data
from bench.measure import Measured, longest
from bench.runs import CollectedHeap, Run
from bench.source import PARTS, Source
from bench.work import Work

SECOND = 1_000_000
WORK = Work("w", "v", {"x": "?"})


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data, "HOME", tmp_path)


class Child:
    """Takes so many seconds for each row, and more if that is not linear."""

    def __init__(self, seconds: float, power: float = 1) -> None:
        self.seconds, self.power = seconds, power
        self.sources: list[Source] = []

    def run(self, question: str, columns: str, source: Source) -> Run:
        self.sources.append(source)
        return Run(self.seconds * source.rows**self.power, (float(source.rows),), 1.0)


def test_times_rise_and_stay_clear_of_the_bounds_of_windows() -> None:
    seq = np.arange(1, 300_001)
    times = np.asarray(data.rows(seq, 1000)["ts"]).astype("datetime64[us]").astype(np.int64)
    assert (np.diff(times) > 0).all()
    assert (times % SECOND != 0).all()
    for length in (1, 10, 60, 600, 3600):
        assert not np.isin(times, times + length * SECOND).any()


def test_shuffled_rows_are_the_same_rows() -> None:
    tables = [data.parquet.read_table(Data(1000, shuffled=shuffled).paths()) for shuffled in (False, True)]
    assert len(Data(1000).paths()) == 8
    assert tables[0] != tables[1]
    assert tables[0] == tables[1].sort_by("seq")


def test_what_a_source_holds() -> None:
    rows = Data(2000, keys=100)
    assert Source(rows).rows == 2000
    assert Source(rows, "seq", PARTS // 2).condition == "seq <= 1000"
    assert Source(rows, "id", PARTS // 2).condition == "id < 50"
    assert Source(rows, "id", PARTS // 2).rows == 1000


def test_answers_agree_within_a_tolerance() -> None:
    assert agree((3, 1.0), (3, 1.0 + 1e-12))
    assert agree((0, None), (0, 0.0))
    assert not agree((3, 1.0), (3, 1.0001))
    assert not agree((3,), (3, 1.0))


def test_a_fast_question_runs_on_everything() -> None:
    child = Child(seconds=1e-6)
    source, runs = longest(child, WORK, "x", Data(1_000_000))
    assert source.whole
    assert len(runs) == 5


@pytest.mark.parametrize("power", [1, 1.5, 2])
def test_a_slow_question_runs_on_the_largest_part_that_takes_less_than_a_minute(power: float) -> None:
    child = Child(seconds=1000 / 1_000_000**power, power=power)
    source, runs = longest(child, WORK, "x", Data(1_000_000))
    assert 10 < runs[0].seconds <= 60
    assert 2 <= len(runs) <= 5
    assert all(tried.rows <= source.rows * 4 for tried in child.sources)


def test_the_best_run_counts() -> None:
    runs = [
        Run(seconds, (7.0, 1.0), memory, 0.0) for seconds, memory in ((2.0, 10.0), (1.0, 30.0), (4.0, 20.0))
    ]
    measured = Measured.of("x", Source(Data(1000)), runs)
    assert (measured.best, measured.median, measured.speed) == (1.0, 2.0, 1000.0)
    assert (measured.answers, measured.memory_mb) == (7.0, 30.0)


def test_heap_after_a_collection(tmp_path: Path) -> None:
    log = tmp_path / "gc.log"
    log.write_text("GC(1) Pause Young (Normal) 900M->800M(900M) 1.0ms\n", encoding="utf-8")
    heap = CollectedHeap(log)
    heap.reset()
    with log.open("a", encoding="utf-8") as more:
        more.write("GC(2) Pause Full (System.gc()) 900M->40M(900M) 1.0ms\n")
        more.write("GC(3) Pause Remark 500M->500M(900M) 1.0ms\n")
        more.write("GC(4) Pause Young (Normal) (G1 Evacuation Pause) 600M->60M(900M) 1.0ms\n")
    assert heap.peak_mb() == 60
