"""What a streaming query keeps stays the same however long it runs. CSQL_SOAK_SECONDS sets how long that is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

import pytest

from tests.stream_faults import ROOT
from tests.stream_soak import QUERIES

SECONDS = float(os.environ.get("CSQL_SOAK_SECONDS", "600"))
MEGABYTE = 2**20


@pytest.mark.long
@pytest.mark.parametrize("provider", ["hdfs", "rocksdb-changelog"])
def test_state_and_heap_stay_flat(tmp_path: Path, provider: str) -> None:
    out = tmp_path / "samples.jsonl"
    command = [sys.executable, "-m", "tests.stream_soak", str(out), str(SECONDS / 2), provider]
    child = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS + 600, check=False
    )
    assert child.returncode == 0, child.stderr[-6000:]
    samples = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    settled = samples[len(samples) // 3 :]
    first, second = settled[: len(settled) // 2], settled[len(settled) // 2 :]
    assert len(first) >= 3, f"only {len(samples)} samples"
    assert all(second[-1]["batches"][name] > first[0]["batches"][name] for name in QUERIES)
    for name in QUERIES:
        before, after = (median(s["rows"][name] for s in half) for half in (first, second))
        assert after <= before * 1.3 + 200, f"{name} keeps {before}, later {after} rows"
    before, after = (median(s["heap"] for s in half) for half in (first, second))
    assert after <= before * 1.2 + 32 * MEGABYTE, f"the heap grows from {before} to {after} bytes"
