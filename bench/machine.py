"""What the benchmark ran on."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from datetime import date
from importlib.metadata import version
from pathlib import Path

from bench.children import CORES

PACKAGES = ("spark-csql", "pyspark", "duckdb", "polars")


def described() -> dict[str, str]:
    cpu = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    gigabytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    java = subprocess.run(["java", "-version"], capture_output=True, text=True, check=True).stderr
    return {
        "date": date.today().isoformat(),
        "machine": f"{cpu[1] if cpu else platform.machine()}, {CORES} cores, {gigabytes:.0f} GB",
        "java": java.splitlines()[0],
        "python": platform.python_version(),
        **{package: version(package) for package in PACKAGES},
    }
