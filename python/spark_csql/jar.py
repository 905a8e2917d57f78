"""Where the jar is: inside the installed package, or in jvm/target of a source checkout."""

from __future__ import annotations

from pathlib import Path

from spark_csql.errors import JarNotFoundError
from spark_csql.version import SCALA_LINE, __version__

JAR_PREFIX = f"spark-csql_{SCALA_LINE}-"
_NAME = f"{JAR_PREFIX}{__version__}.jar"


def jar_path() -> Path:
    """The jar that belongs to this package, for example for ``spark-submit --jars``."""
    package = Path(__file__).resolve().parent
    for folder in (package / "jars", package.parent.parent / "jvm" / "target"):
        jar = folder / _NAME
        if jar.is_file():
            return jar
    raise JarNotFoundError(
        f"{_NAME} is neither in {package / 'jars'} nor built: in a source checkout run 'make build', "
        "otherwise install spark-csql from its wheel."
    )
