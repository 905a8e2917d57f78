"""The benchmark measures what it says. (Whether the engines agree is in test_bench_questions.py.)"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench import data, flame
from bench.answers import agree
from bench.data import PARTS, Data
from bench.flight import OTHER, activity, frames
from bench.measure import Measured, longest
from bench.runs import CollectedHeap, Run
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
        self.asked: list[Data] = []

    def run(self, question: str, columns: str, data: Data) -> Run:
        self.asked.append(data)
        return Run(data.rows, self.seconds * data.rows**self.power, (float(data.rows),), 1.0)


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


def test_parts_are_the_first_rows_or_all_rows_of_some_keys() -> None:
    whole = Data(2000, keys=100)
    table = data.parquet.read_table(whole.paths())
    assert (whole.count, whole.part("seq", PARTS)) == (2000, whole)
    assert data.parquet.read_table(whole.part("seq", PARTS // 2).paths()) == table[:1000]
    for axis, below in (("id", 50), ("site", 25)):
        half = data.parquet.read_table(whole.part(axis, PARTS // 2).paths())
        assert half == table.filter(data.compute.field(axis) < below)
        assert half.num_rows == whole.part(axis, PARTS // 2).count


def test_answers_agree_within_a_tolerance() -> None:
    assert agree((3, 1.0), (3, 1.0 + 1e-12))
    assert agree((0, None), (0, 0.0))
    assert not agree((3, 1.0), (3, 1.0001))
    assert not agree((3,), (3, 1.0))


def test_a_fast_question_runs_on_everything() -> None:
    child = Child(seconds=1e-6)
    part, runs = longest(child, WORK, "x", Data(1_000_000))
    assert part == Data(1_000_000)
    assert len(runs) == 5


@pytest.mark.parametrize("power", [1, 1.5, 2])
def test_a_slow_question_runs_on_the_largest_part_that_takes_less_than_a_minute(power: float) -> None:
    child = Child(seconds=1000 / 1_000_000**power, power=power)
    part, runs = longest(child, WORK, "x", Data(1_000_000))
    assert 10 < runs[0].seconds <= 60
    assert len(runs) == 1 or sum(run.seconds for run in runs[:-1]) < 30
    assert all(tried.rows <= part.rows * 4 for tried in child.asked)


def test_the_best_run_counts() -> None:
    runs = [
        Run(1000, seconds, (7.0, 1.0), memory, 0.0)
        for seconds, memory in ((2.0, 10.0), (1.0, 30.0), (4.0, 20.0))
    ]
    measured = Measured.of("x", runs, whole=True)
    assert (measured.best, measured.median, measured.speed) == (1.0, 2.0, 1000.0)
    assert (measured.answers, measured.memory_mb) == (7.0, 30.0)


def test_heap_after_a_collection(tmp_path: Path) -> None:
    heap = CollectedHeap(tmp_path / "gc.log")
    heap.log.write_text("GC(1) Pause Young (Normal) 900M->800M(900M) 1.0ms\n", encoding="utf-8")
    heap.reset()
    with heap.log.open("a", encoding="utf-8") as more:
        more.write("GC(2) Pause Full (System.gc()) 900M->40M(900M) 1.0ms\n")
        more.write("GC(3) Pause Remark 500M->500M(900M) 1.0ms\n")
        more.write("GC(4) Pause Young (Normal) (G1 Evacuation Pause) 600M->60M(900M) 1.0ms\n")
    assert heap.peak_mb() == 60


def test_the_innermost_class_that_is_known_says_what_a_thread_does() -> None:
    classes = ["java.util.Arrays", "org.sparkcsql.kernel.PackedStacks", "org.apache.spark.shuffle.Reader"]
    methods = [{"type": {"name": name}, "name": "run"} for name in classes]
    stack = {"stackTrace": {"frames": [{"method": method} for method in methods]}}
    assert activity(frames(stack)) == "windows and aggregates"
    assert activity(frames({"stackTrace": None})) == OTHER


def test_a_flame_graph_puts_frames_side_by_side_upon_their_callers() -> None:
    below = ["org/apache/spark/scheduler/Task.run", "java/lang/Thread.run"]
    sort, read = (["a/b/Sort.sort", "a/Rows$$Lambda$7.next", *below], ["a/Rows$$Lambda$9.next", *below])
    found = list(flame.bars(flame.tree([read, sort, sort, ["x/Other.call", *below]])))
    assert found == [
        flame.Bar("tasks", 0, 0, 1),
        flame.Bar("Rows.next", 1, 0, 0.75),
        flame.Bar("Sort.sort", 2, 0, 0.5),
        flame.Bar("Other.call", 1, 0.75, 0.25),
    ]
