"""Start a Spark session that understands continuous queries."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import pyspark
from pyspark.errors import PySparkRuntimeError
from pyspark.sql import SparkSession

from spark_csql import settings
from spark_csql.fit import explain_no_start, require_python, require_spark
from spark_csql.jar import JAR_PREFIX, jar_path
from spark_csql.probe import probe

EXTENSION = "org.sparkcsql.CsqlExtensions"

# The builder of pyspark.sql.SparkSession, or the one of Spark Connect.
Builder = TypeVar("Builder", bound=Any)


def configure(builder: Builder) -> Builder:
    """Add spark-csql to a session builder and return the builder.

    The jar is appended to ``spark.jars`` (so it reaches executors too) and the extension to
    ``spark.sql.extensions``; whatever is configured already stays. ``getOrCreate()`` and ``create()`` of this
    builder then check the session they return, and say in words if it does not run the extension.
    Calling it twice does no harm. For a Spark Connect server at ``sc://…`` nothing is added, only checked.
    """
    require_python()
    require_spark(pyspark.__version__, "the installed PySpark is")
    _add_settings(builder)
    if not hasattr(builder, "_csql_configured"):
        builder._csql_configured = True
        builder.getOrCreate = _checked(builder, builder.getOrCreate)
        builder.create = _checked(builder, builder.create)
    return builder


def session(
    conf: Mapping[str, Any] | None = None,
    /,
    *,
    master: str = "local[*]",
    app_name: str = "spark-csql",
    **keywords: Any,
) -> SparkSession:
    """A session on this machine for trying things out.

    Quiet (no progress bar, only errors and the notices of spark-csql), without the web page, not reachable
    from other machines. Settings come as a mapping with Spark's own names or as keywords with ``_`` for
    ``.``; they win over these defaults:

    >>> spark = spark_csql.session({"spark.sql.shuffle.partitions": 4})
    >>> spark = spark_csql.session(spark_sql_shuffle_partitions=4)
    """
    options = {
        **(settings.on_this_machine() if master.startswith("local") else {}),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": str(os.cpu_count() or 1),
        **(conf or {}),
        **{_setting_name(keyword): value for keyword, value in keywords.items()},
    }
    log_quietly(options)
    tell_errors_once()
    builder = SparkSession.builder.master(master).appName(app_name).config(map=options)
    return configure(builder).getOrCreate()


def tell_errors_once() -> None:
    """PySpark logs every failing statement with its Java stack trace before it raises the same error."""
    for logger in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        logging.getLogger(logger).setLevel(logging.CRITICAL)


def log_quietly(options: dict[str, Any]) -> None:
    java_options = str(options.get("spark.driver.extraJavaOptions", ""))
    if "log4j2.configurationFile" not in java_options:
        file = Path(__file__).with_name("log4j2.properties").as_uri()
        java_options = f"{java_options} -Dlog4j2.configurationFile={file}".strip()
    options["spark.driver.extraJavaOptions"] = java_options


def _setting_name(keyword: str) -> str:
    if not keyword.startswith("spark_"):
        raise TypeError(
            f"session() does not know '{keyword}': a setting is written spark_sql_shuffle_partitions=4, "
            "for spark.sql.shuffle.partitions."
        )
    return keyword.replace("_", ".")


def _add_settings(builder: Any) -> None:
    options: dict[str, str] = builder._options
    if _is_server(options):
        return
    settings.require_whole_spark()
    extensions = settings.configured("spark.sql.extensions", options)
    options["spark.sql.extensions"] = settings.add(extensions, EXTENSION)
    if settings.java_is_running():
        return
    jars = settings.configured("spark.jars", options)
    if JAR_PREFIX not in (jars or ""):  # a jar of ours that was named by hand is kept
        options["spark.jars"] = settings.add(jars, str(jar_path()))


def _is_server(options: Mapping[str, str]) -> bool:
    url = options.get("spark.remote") or os.environ.get("SPARK_REMOTE") or ""
    return url.startswith("sc://")


def _checked(builder: Any, start: Callable[[], SparkSession]) -> Callable[[], SparkSession]:
    def start_and_probe() -> SparkSession:
        _add_settings(builder)  # again: settings made after configure() may have replaced ours
        try:
            spark = start()
        except PySparkRuntimeError as error:
            reason = explain_no_start(error)
            if reason is None:
                raise
            raise reason from error
        probe(spark)
        return spark

    return start_and_probe
