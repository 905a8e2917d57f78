"""Fail unless the jar, the Python package, Spark and the state's format have one version each, everywhere."""

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


def state_formats() -> dict[str, str]:
    """The number of the state's layout, by the file that states it."""
    code = "jvm/src/main/scala/org/sparkcsql/stream/Fingerprint.scala"
    return {
        code: _find(r"val Format = (\d+)$", code),
        "docs/operations.md": _find(r"`format` in `_csql_window`, now (\d+)", "docs/operations.md"),
    }


def disagreements() -> list[str]:
    problems = []
    all_stated = (
        ("spark-csql's version", versions()),
        ("Spark's version", spark_versions()),
        ("the format of the state", state_formats()),
    )
    for what, stated in all_stated:
        if len(set(stated.values())) > 1:
            listed = ", ".join(f"{version} in {file}" for file, version in stated.items())
            problems.append(f"{what} differs: {listed}")
    return problems


if __name__ == "__main__":
    for problem in disagreements():
        print(problem, file=sys.stderr)
    if disagreements():
        sys.exit(1)
    print(f"spark-csql {versions()['pom.xml']} for Spark {spark_versions()['pom.xml']}, everywhere the same")
