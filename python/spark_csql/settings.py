"""Comma-separated Spark settings, wherever they were made: they are added to, never replaced."""

from __future__ import annotations

import importlib.util
import itertools
import os
import re
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

from pyspark import SparkConf
from pyspark.find_spark_home import _find_spark_home

from spark_csql.errors import ThinClientError


def on_this_machine() -> dict[str, str]:
    """Spark need not be reached from other machines, and Python workers have the packages of this program."""
    python = {} if "PYSPARK_PYTHON" in os.environ else {"spark.sql.execution.pyspark.python": sys.executable}
    return {**dict.fromkeys(("spark.driver.host", "spark.driver.bindAddress"), "127.0.0.1"), **python}


def add(configured: str | None, item: str) -> str:
    """``item`` at the end of a comma-separated list, once."""
    items = [part.strip() for part in (configured or "").split(",") if part.strip()]
    return ",".join(items if item in items else [*items, item])


def configured(key: str, options: Mapping[str, str]) -> str | None:
    """What Spark would use for ``key`` now: the builder's value, else the one from outside the program."""
    if key in options:
        return options[key]
    if java_is_running():
        return SparkConf().get(key, None)
    return _submit_args().get(key) or _defaults_file().get(key)


def java_is_running() -> bool:
    """A running Java process keeps its class path: jars that are configured later reach only executors."""
    from pyspark.core.context import SparkContext

    if "PYSPARK_GATEWAY_PORT" in os.environ:  # this program runs under spark-submit
        SparkContext._ensure_initialized()
    return SparkContext._gateway is not None


def require_whole_spark() -> None:
    """The thin client of Spark Connect starts no Spark."""
    if is_thin_client():
        raise ThinClientError(
            "This PySpark is the thin client of Spark Connect, which starts no Spark of its own: name a "
            "server, as in SparkSession.builder.remote('sc://localhost:15002'), or install pyspark."
        )


def is_thin_client() -> bool:
    return importlib.util.find_spec("pyspark.core") is None


def spark_is_running() -> bool:
    """Whether this process has a Spark of its own; the thin client of Spark Connect never has."""
    if is_thin_client():
        return False
    from pyspark.core.context import SparkContext

    return SparkContext._active_spark_context is not None


def spark_home() -> Path:
    """The Spark that PySpark starts: SPARK_HOME, else the one it carries."""
    return Path(_find_spark_home())


def _submit_args() -> dict[str, str]:
    found = {}
    words = shlex.split(os.environ.get("PYSPARK_SUBMIT_ARGS", ""))
    for flag, value in itertools.pairwise(words):
        if flag == "--jars":
            found["spark.jars"] = value
        elif flag in ("--conf", "-c"):
            key, _, setting = value.partition("=")
            found[key] = setting
    return found


def _defaults_file() -> dict[str, str]:
    folder = os.environ.get("SPARK_CONF_DIR") or spark_home() / "conf"
    file = Path(folder, "spark-defaults.conf")
    if not file.is_file():
        return {}
    found = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        setting = re.match(r"\s*([^#!\s:=]+)\s*[\s:=]\s*(.*?)\s*$", line)
        if setting:
            found[setting[1]] = setting[2]
    return found
