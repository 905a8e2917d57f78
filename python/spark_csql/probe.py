"""Look at a running session and say in words what does not fit.

Everything is asked through SQL and the public API, so it works on Spark Connect too.
"""

from __future__ import annotations

import os

from pyspark.sql import SparkSession

from spark_csql.errors import ExtensionNotLoadedError, VersionMismatchError
from spark_csql.fit import line, require_spark
from spark_csql.jar import jar_path
from spark_csql.version import __version__


def probe(spark: SparkSession) -> str:
    """Return the version of the extension that ``spark`` runs, or raise an error that says what is wrong."""
    require_spark(spark.version, "this session runs")
    if not spark.catalog.functionExists("csql_version"):
        raise ExtensionNotLoadedError(_not_loaded(spark))
    loaded = str(spark.sql("SELECT csql_version()").collect()[0][0])
    if line(loaded) != line(__version__):
        raise VersionMismatchError(
            f"The Python package spark_csql is version {__version__}, but this session runs the jar of "
            f"version {loaded}; install the same version on both sides."
        )
    return loaded


def _not_loaded(spark: SparkSession) -> str:
    """Name the reason if it can be seen, and always the way out."""
    if "connect" in type(spark).__module__:
        return (
            "The Spark Connect server runs without spark-csql. Start it with "
            f"--jars {jar_path()}; a client cannot add it."
        )
    if "PYSPARK_GATEWAY_PORT" in os.environ:
        return (
            "spark-submit started Spark before this program could name the jar of spark-csql. "
            f"Start the program with: spark-submit --jars {jar_path()} …"
        )
    if "spark.jars" in os.environ.get("PYSPARK_SUBMIT_ARGS", "").replace("--jars", "spark.jars"):
        return (
            "PYSPARK_SUBMIT_ARGS names jars of its own, and Spark then ignores the ones that are configured "
            f"elsewhere. Add this one there: {jar_path()}"
        )
    reason = (
        "Spark was started in this Python process without spark-csql, and a running Spark cannot be extended "
        "(its Java process lives on after stop()). Restart Python and call spark_csql.configure(builder) "
        "before the first session"
    )
    jar = str(jar_path())
    if " " in jar:  # Spark's ADD JAR does not find such a path
        return reason + "."
    return (
        f"{reason}; or get a second session beside this one:\n"
        f"    spark.sql(\"ADD JAR '{jar}'\")\n"
        "    csql = spark_csql.configure(SparkSession.builder).create()"
    )
