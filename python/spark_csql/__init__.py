"""Continuous queries in plain ``spark.sql()``: windows and frequencies over streams and tables.

>>> import spark_csql
>>> from pyspark.sql import SparkSession
>>> spark = spark_csql.configure(SparkSession.builder).getOrCreate()

``spark_csql.session()`` does the same with settings that suit one machine.
"""

from typing import Any

from spark_csql.aggregates import aggregate
from spark_csql.algebra import Query, stream
from spark_csql.errors import (
    CsqlError,
    ExtensionNotLoadedError,
    JarNotFoundError,
    QueryFailedError,
    ThinClientError,
    VersionMismatchError,
)
from spark_csql.formatting import format
from spark_csql.jar import jar_path
from spark_csql.parse.problem import Problem
from spark_csql.probe import probe
from spark_csql.queries import ContinuousQuery, queries
from spark_csql.session import EXTENSION, configure, session
from spark_csql.statements import explain, sql
from spark_csql.streams import Stream, declare_stream, streams
from spark_csql.validation import validate
from spark_csql.version import __version__

__all__ = [
    "EXTENSION",
    "ContinuousQuery",
    "CsqlError",
    "ExtensionNotLoadedError",
    "JarNotFoundError",
    "Problem",
    "Query",
    "QueryFailedError",
    "Stream",
    "ThinClientError",
    "VersionMismatchError",
    "__version__",
    "aggregate",
    "configure",
    "declare_stream",
    "explain",
    "format",
    "jar_path",
    "load_ipython_extension",
    "probe",
    "queries",
    "session",
    "sql",
    "stream",
    "streams",
    "validate",
]


def load_ipython_extension(shell: Any) -> None:
    """``%load_ext spark_csql`` in a notebook: makes ``%%csql`` known."""
    try:
        from spark_csql.magic import load
    except ModuleNotFoundError as error:
        raise CsqlError(f"Notebooks need more ({error}): pip install 'spark-csql[notebook]'.") from error
    load(shell)
