"""Programs of the benchmark that are written for the JVM: small Maven projects, built into .build/bench."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from bench.data import HOME, ROOT


class CannotBuild(Exception):
    """The tools or the libraries that the program needs cannot be had."""


def build(project: str, *options: str) -> Path:
    """The folder with the program's jar, and its libraries in lib if it brings some."""
    command = [
        os.environ.get("MVN", "mvn"),
        "-q",
        "-B",
        f"-Dmaven.repo.local={ROOT / '.build' / 'm2'}",
        f"--file={ROOT / 'bench' / project / 'pom.xml'}",
        *options,
        "package",
    ]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except FileNotFoundError:
        raise CannotBuild("Maven is not installed") from None
    except subprocess.CalledProcessError as failure:
        errors = [line for line in failure.stdout.splitlines() if line.startswith("[ERROR]")]
        raise CannotBuild(errors[0] if errors else failure.stdout[-500:]) from None
    return HOME / project
