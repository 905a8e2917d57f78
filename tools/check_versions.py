"""Fail unless the jar, the Python package and Spark are named with one version each, everywhere."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def _find(pattern: str, file: str) -> str:
    found = re.search(pattern, (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        raise SystemExit(f"{file}: no version found (looked for {pattern!r})")
    return found[1]


def versions() -> dict[str, str]:
    """The product's version, by the file that states it."""
    return {
        "pom.xml": _find(r"<artifactId>spark-csql_2\.13</artifactId>\s*<version>(.*?)</version>", "pom.xml"),
        "python/spark_csql/version.py": _find(r'^__version__ = "(.*)"$', "python/spark_csql/version.py"),
        "CHANGELOG.md": _find(r"^## (\S+)", "CHANGELOG.md"),
    }


def spark_versions() -> dict[str, str]:
    """Spark's release line (4.2), by the file that states it."""
    return {
        "pom.xml": _find(r"<spark\.version>(\d+\.\d+)\.", "pom.xml"),
        "pyproject.toml": _find(r'"pyspark>=(\d+\.\d+),<', "pyproject.toml"),
        "python/spark_csql/version.py": _find(r'^SPARK_LINE = "(.*)"$', "python/spark_csql/version.py"),
    }


def disagreements() -> list[str]:
    problems = []
    for what, stated in (("spark-csql", versions()), ("Spark", spark_versions())):
        if len(set(stated.values())) > 1:
            listed = ", ".join(f"{version} in {file}" for file, version in stated.items())
            problems.append(f"{what}'s version differs: {listed}")
    return problems


if __name__ == "__main__":
    for problem in disagreements():
        print(problem, file=sys.stderr)
    if disagreements():
        sys.exit(1)
    print(f"spark-csql {versions()['pom.xml']} for Spark {spark_versions()['pom.xml']}, everywhere the same")
