"""The demo runs to its end, answers every question and leaves nothing behind."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_the_demo_answers_every_query() -> None:
    before = folders()
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / "demo.py"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    assert done.stderr == ""
    rows = [int(count.replace(",", "")) for count in re.findall(r"^([\d,]+) rows", done.stdout, re.MULTILINE)]
    assert len(rows) == 8
    assert min(rows) > 0
    assert "All queries answered" in done.stdout
    proof = re.search(r"Proof: the (\d+) live answers equal the batch answer", done.stdout)
    assert proof is not None, done.stdout[-2000:]
    stopped = re.search(r"STOP: STOPPED, (\d+) answers", done.stdout)
    assert stopped is not None
    assert 0 < int(stopped[1]) < int(proof[1])
    assert folders() == before


def folders() -> set[Path]:
    """What the demo makes and must take away again."""
    return set((ROOT / ".build" / "tmp").glob("demo-*"))
