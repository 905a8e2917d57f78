"""Runs statements and shows their answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from pyspark.sql import DataFrame, SparkSession

from spark_csql.cli.failures import Failure
from spark_csql.cli.follow import Following
from spark_csql.cli.interrupts import Interrupts
from spark_csql.cli.output import Printer
from spark_csql.cli.presentable import Presentable
from spark_csql.cli.session import is_remote

LOOK_EVERY_SECONDS = 1
FIRST_ROWS = 1000
JOBS = "spark-csql"
_JOB_PROPERTIES = ("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel")


@contextmanager
def interruptible(spark: SparkSession) -> Iterator[None]:
    """Ctrl-C ends the jobs of what runs here, and of nothing else."""
    with _named_jobs(spark) as cancel, Interrupts(cancel) as interrupts:
        try:
            yield
        except Exception:
            if not interrupts.seen:
                raise
        interrupts.check()


@contextmanager
def _named_jobs(spark: SparkSession) -> Iterator[Callable[[], object]]:
    """Gives the jobs of this thread a name, and yields what cancels the jobs of that name."""
    if is_remote(spark):
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


class Asked(NamedTuple):
    """What a statement answers, if it does."""

    frame: DataFrame
    has_answer: bool
    is_streaming: bool


@dataclass(frozen=True)
class Execution:
    """How answers are shown: at most ``limit`` rows of each (0: all); streaming ones only with ``follow``.

    Without a limit, people are shown the first rows of an answer that is a table.
    """

    spark: SparkSession
    printer: Printer
    parameters: Mapping[str, Any]
    limit: int | None
    follow: bool

    def ask(self, statement: str) -> Asked:
        """A statement that is no query has run then."""
        with interruptible(self.spark):
            frame = self.spark.sql(statement, args=dict(self.parameters) or None)
            return Asked(frame, bool(frame.columns), frame.isStreaming)

    def run(self, statement: str) -> None:
        asked = self.ask(statement)
        if asked.is_streaming:
            self.streaming(asked.frame)
        elif asked.has_answer:
            self.batch(asked.frame)

    def batch(self, frame: DataFrame) -> None:
        limit = self.limit
        if limit is None:
            limit = FIRST_ROWS if self.printer.format == "table" else 0
        with interruptible(self.spark):
            rows = Presentable(frame).rows(limit + 1 if limit else None)
        shown = rows[:limit] if limit else rows
        self.printer.answer(frame.columns, shown, more=len(rows) > len(shown))

    def streaming(self, frame: DataFrame) -> None:
        """Rows as they come, until the stream ends, the limit is reached or the user has seen enough."""
        if not self.follow:
            raise Failure(
                "This answer never ends: --follow shows its rows as they come, "
                "CREATE CONTINUOUS QUERY … AS keeps them in a table."
            )
        left = self.limit or None
        with Interrupts() as interrupts, closing(Following(self.spark, frame)) as following:
            self.printer.header(following.columns)
            ended = False
            while not ended and left != 0 and not interrupts.seen:
                ended = following.wait(LOOK_EVERY_SECONDS)
                rows = following.fresh()[:left]
                self.printer.lines(following.columns, rows)
                left = left and left - len(rows)
