"""Runs statements and shows their answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from spark_csql.cli.failures import Failure
from spark_csql.cli.follow import Following
from spark_csql.cli.interrupts import Interrupts
from spark_csql.cli.output import Printer, presentable

LOOK_EVERY_SECONDS = 1
JOBS = "spark-csql"
_JOB_PROPERTIES = ("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel")


@contextmanager
def interruptible(spark: SparkSession) -> Iterator[None]:
    """Ctrl-C ends the jobs of what runs here, and of nothing else."""
    with _named_jobs(spark) as cancel, Interrupts(cancel) as interrupts:
        try:
            yield
        except Exception:
            if interrupts.seen:
                raise KeyboardInterrupt from None
            raise


@contextmanager
def _named_jobs(spark: SparkSession) -> Iterator[Callable[[], object]]:
    """Gives the jobs of this thread a name, and yields what cancels the jobs of that name."""
    if "connect" in type(spark).__module__:
        spark.addTag(JOBS)
        try:
            yield lambda: spark.interruptTag(JOBS)
        finally:
            spark.removeTag(JOBS)
        return
    context = spark.sparkContext
    context.setJobGroup(JOBS, "a statement of the command line", interruptOnCancel=True)
    try:
        yield lambda: context.cancelJobGroup(JOBS)
    finally:
        for key in _JOB_PROPERTIES:
            context.setLocalProperty(key, None)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Execution:
    """How answers are shown: at most ``limit`` rows of each (0: all); streaming ones only with ``follow``."""

    spark: SparkSession
    printer: Printer
    parameters: Mapping[str, Any]
    limit: int
    follow: bool

    def run(self, statement: str) -> None:
        frame = self.spark.sql(statement, args=dict(self.parameters) or None)
        if frame.isStreaming:
            self.streaming(frame)
        elif frame.columns:
            self.batch(frame)

    def batch(self, frame: DataFrame) -> None:
        told = presentable(frame)
        with interruptible(self.spark):
            rows = [tuple(row) for row in (told.take(self.limit + 1) if self.limit else told.collect())]
        shown = rows[: self.limit] if self.limit else rows
        self.printer.answer(frame.columns, shown, more=len(rows) > len(shown))

    def streaming(self, frame: DataFrame) -> None:
        """Rows as they come, until the stream ends, the limit is reached or the user has seen enough."""
        if not self.follow:
            raise Failure(
                "This answer never ends: --follow shows its rows as they come, "
                "CREATE CONTINUOUS QUERY … AS keeps them in a table."
            )
        following = Following(self.spark, frame)
        left = self.limit or None
        try:
            self.printer.header(following.columns)
            ended = False
            with Interrupts() as interrupts:
                while not ended and left != 0 and not interrupts.seen:
                    ended = following.wait(LOOK_EVERY_SECONDS)
                    rows = following.fresh()[:left]
                    self.printer.lines(following.columns, rows)
                    left = left and left - len(rows)
        finally:
            following.stop()
