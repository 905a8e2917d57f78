"""The demo runs to its end and answers every question."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_the_demo_answers_every_query() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / "demo.py"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    assert done.stderr == ""
    rows = [int(count.replace(",", "")) for count in re.findall(r"^([\d,]+) rows", done.stdout, re.MULTILINE)]
    assert len(rows) == 8
    assert min(rows) > 0
    assert "All queries answered" in done.stdout
