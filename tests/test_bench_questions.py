"""The questions of the benchmark: all engines give the same answers, and the results can be told."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("polars", reason="the benchmark's engines are not installed: make bench installs them")
pytest.importorskip("plotext")

from bench import guard
from bench.report import page, plots
from bench.report.targets import Faster, Scales, Within
from bench.results import Result
from bench.work import OURS

MACHINE = {"date": "2026-01-01", "machine": "a machine", "java": "17"}


def measured(label: str, rows: int, *seconds: float) -> dict[str, Any]:
    usage = {"answers": 1, "memory_mb": 1, "spill_mb": 0, "told": {}}
    return {"label": label, "rows": rows, "whole": True, "seconds": seconds, **usage}


@pytest.fixture
def result() -> Result:
    works = [
        {
            "name": "jump",
            "how": "ordered",
            "measured": [measured(OURS, 100, 2, 1), measured("Spark, OVER", 10, 1)],
        },
        {
            "name": "scan",
            "how": "ordered",
            "measured": [measured("Spark", 100, 0.5), measured("Spark, b", 100, 0.8)],
        },
        {"name": "jump", "how": "one core", "measured": [measured(OURS, 100, 1.5)]},
        {
            "name": "odd",
            "how": "ordered",
            "measured": [measured(OURS, 100, 1), {"label": "x", "failed": "no"}],
        },
    ]
    return Result({"rows": 100, "machine": MACHINE, "works": works})


def test_targets_are_judged_by_the_best_runs(result: Result) -> None:
    faster = Faster("jump", "Spark", 8).judge(result)
    assert (faster.value, faster.met) == (10, True)
    within = Within("jump", [("scan", "Spark")], 1.5).judge(result)
    assert (within.value, within.met) == (2, False)
    scales = Scales("jump", 1.7).judge(result)
    assert (scales.value, scales.met) == (1.5, False)


def test_results_stand_between_their_marks() -> None:
    before = "a\n<!-- x: made by make bench -->\nold\n<!-- x: end -->\nb"
    after = page.between_marks(before, "x", r"new \1")
    assert after == "a\n<!-- x: made by make bench -->\n\nnew \\1\n\n<!-- x: end -->\nb"
    with pytest.raises(SystemExit, match="lacks the marks"):
        page.between_marks(before, "y", "")


def test_a_ratio_falls_below_half_of_the_recorded_one() -> None:
    assert guard.worse({"a": 8.0, "b": 2.0}, {"a": 3.9, "b": 1.1}) == ["a"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("part", "rows"),
    [("jumps", 20_000), ("slides", 20_000), ("papers", 20_000), ("growth", 16_000), ("stream", 100_000)],
)
def test_engines_agree(part: str, rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plots, "PICTURES", tmp_path)
    monkeypatch.setattr("bench.parts.stream.FILES", 4)
    found = import_module(f"bench.parts.{part}").run(rows)
    assert not [each for work in found["works"] for each in work["measured"] if "failed" in each]
    text = import_module(f"bench.report.{part}").report(Result({"rows": rows, "machine": MACHINE, **found}))
    assert text.count("\n|") > 10
    assert list(tmp_path.glob("*.png"))
