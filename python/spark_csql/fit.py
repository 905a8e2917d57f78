"""Do the versions of Python, Java and Spark fit? If not, an error names both."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from spark_csql.errors import VersionMismatchError
from spark_csql.version import OLDEST_JAVA, OLDEST_PYTHON, SCALA_LINE, SPARK_LINE, __version__


def line(version: str) -> str:
    """4.2.1 is of the line 4.2."""
    return ".".join(version.split(".")[:2])


def require_python() -> None:
    if sys.version_info < OLDEST_PYTHON:
        needed = ".".join(map(str, OLDEST_PYTHON))
        raise VersionMismatchError(f"spark-csql needs Python {needed} or newer, but this is {sys.version}.")


def require_spark(version: str, who: str) -> None:
    if line(version) != SPARK_LINE:
        raise VersionMismatchError(
            f"spark-csql {__version__} is built for Spark {SPARK_LINE} (Scala {SCALA_LINE}), "
            f"but {who} Spark {version}."
        )


def java_version() -> tuple[str, int | None]:
    """The Java that Spark would use, and its version if it is there."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else "java"
    if shutil.which(java) is None:
        return java, None
    answer = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    found = re.search(r'version "(?:1\.)?(\d+)', answer.stderr + answer.stdout)
    return java, int(found[1]) if found else OLDEST_JAVA


def explain_no_start(error: Exception) -> VersionMismatchError | None:
    """PySpark says only that the Java process ended; say why, where the reason is Java itself."""
    return java_problem() if "JAVA_GATEWAY_EXITED" in str(error) else None


def java_problem() -> VersionMismatchError | None:
    """Why Spark cannot run with the Java that is here, if so."""
    java, version = java_version()
    if version is None:
        return VersionMismatchError(
            f"Spark {SPARK_LINE} needs Java {OLDEST_JAVA} or newer, but '{java}' was not found; "
            "install a JDK or set JAVA_HOME."
        )
    if version >= OLDEST_JAVA:
        return None
    return VersionMismatchError(
        f"Spark {SPARK_LINE} needs Java {OLDEST_JAVA} or newer, but '{java}' is Java {version}; "
        "set JAVA_HOME to a newer one."
    )
