"""The wheel alone is enough: it carries the jar."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
USE = """
import spark_csql
print(spark_csql.jar_path())
print(spark_csql.probe(spark_csql.session(master="local[1]")))
"""


def run(*command: str | Path, cwd: Path, **environment: str) -> list[str]:
    done = subprocess.run(
        command, cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT, cwd=ROOT)
    return next(folder.glob("*.whl"))


def test_the_wheel_runs_away_from_the_checkout(wheel: Path, tmp_path: Path) -> None:
    run(sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", tmp_path, wheel, cwd=tmp_path)
    jar, version = run(sys.executable, "-c", USE, cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert Path(jar).is_relative_to(tmp_path)
    assert version == "0.1.0"


@pytest.mark.long
def test_the_wheel_installs_into_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    run(sys.executable, "-m", "venv", tmp_path / "venv", cwd=tmp_path)
    python = tmp_path / "venv" / "bin" / "python"
    run(python, "-m", "pip", "install", "-q", wheel, cwd=tmp_path)
    jar, version = run(python, "-c", USE, cwd=tmp_path, PYTHONPATH="")
    assert Path(jar).is_relative_to(tmp_path)
    assert version == "0.1.0"
