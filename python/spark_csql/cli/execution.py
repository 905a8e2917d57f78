"""Runs statements and shows their answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from spark_csql.cli.failures import Failure
from spark_csql.cli.follow import Following
from spark_csql.cli.output import Printer, presentable

LOOK_EVERY_SECONDS = 1
TAG = "spark-csql"


@contextmanager
def interruptible(spark: SparkSession) -> Iterator[None]:
    """Ctrl-C ends the jobs of what runs here, and of nothing else."""
    spark.addTag(TAG)
    try:
        yield
    except KeyboardInterrupt:
        spark.interruptTag(TAG)
        raise
    finally:
        spark.removeTag(TAG)


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
            while not ended and left != 0:
                ended = following.wait(LOOK_EVERY_SECONDS)
                rows = following.fresh()[:left]
                self.printer.lines(following.columns, rows)
                left = left and left - len(rows)
        except KeyboardInterrupt:
            pass
        finally:
            following.stop()
