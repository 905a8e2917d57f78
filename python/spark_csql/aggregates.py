"""Aggregates that are classes of Python's."""

from __future__ import annotations

import importlib.util
import inspect
import uuid
from collections.abc import Callable, Iterator
from typing import Any

from pyspark import cloudpickle
from pyspark.sql import SparkSession
from pyspark.sql.types import IntegerType, StructField, StructType

from spark_csql import aggregate_worker
from spark_csql.errors import CsqlError


def aggregate(
    spark: SparkSession, declaration: str, of: type, *, window: bool = False, replace: bool = False
) -> None:
    """Make a class known as a temporary aggregate.

    >>> class Average:
    ...     def initialize(self, price):
    ...         self.total, self.count = price, 1
    ...     def iterate(self, price):
    ...         self.total += price
    ...         self.count += 1
    ...     def terminate(self):
    ...         return self.total / self.count
    >>> aggregate(spark, "average(price DOUBLE) : DOUBLE", Average)

    One instance is made for each group; its fields are its state. ``iterate`` gets the arguments of each
    tuple, ``initialize``, if there is one, those of the first; ``terminate`` answers, and a class without it
    answers with each tuple. ``window`` says that the class is the version for windows: it finds their tuples
    in ``self.window`` and may have ``expire``, which gets those that leave. A method returns a value, or None
    for no row at all; or it yields any number of them.
    """
    for method in ("iterate", "initialize", "terminate", "expire"):
        if not inspect.isfunction(getattr(of, method, None)) and (method == "iterate" or hasattr(of, method)):
            raise CsqlError(
                f"The class {of.__name__} cannot be an aggregate: {method} is not one of its methods."
            )
    if hasattr(of, "expire") and not window:
        raise CsqlError(f"The class {of.__name__} has expire, which only windows call: give window=True.")
    if importlib.util.find_spec("pyarrow") is None:
        raise CsqlError("Aggregates in Python need PyArrow: pip install pyarrow.")
    name = f"{of.__module__}.{of.__qualname__}#{uuid.uuid4().hex}"
    cloudpickle.register_pickle_by_value(aggregate_worker)  # type: ignore[no-untyped-call]
    try:
        spark.udf.register(name, _worker(of, aggregate_worker.answered), _kind(of))
    finally:
        cloudpickle.unregister_pickle_by_value(aggregate_worker)  # type: ignore[no-untyped-call]
    words = f"CREATE {'OR REPLACE ' if replace else ''}TEMPORARY {'WINDOW ' if window else ''}AGGREGATE"
    spark.sql(f"{words} {declaration} LANGUAGE PYTHON '{name}'")


def _kind(of: type) -> StructType:
    """How the engine knows a class: by the type that its function is said to return."""
    blocking = "blocking" if hasattr(of, "terminate") else "non_blocking"
    return StructType([StructField(name, IntegerType()) for name in ("csql_aggregate_1", blocking)])


def _worker(of: type, answered: Callable[..., Iterator[Any]]) -> Callable[[Any], Iterator[Any]]:
    def run(batches: Any) -> Iterator[Any]:
        return answered(of, batches)

    return run
