"""``spark-csql simulate``: scripted events, and the answers as they fall due."""

from __future__ import annotations

import csv
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from pyspark.sql import DataFrame, SparkSession

from spark_csql.cli.failures import FAILED, Failure, told_at
from spark_csql.cli.follow import Following
from spark_csql.cli.interrupts import Interrupts
from spark_csql.cli.output import shown
from spark_csql.cli.presentable import Presentable
from spark_csql.cli.scenario import Query, Scenario, Values, read
from spark_csql.cli.session import Where, is_by_variable, opened, where_options
from spark_csql.cli.texts import Text, decoded, read_bytes
from spark_csql.quoting import quoted
from spark_csql.statements import sql

NULL = "\\N"
TOLERANCE = 1e-9


@click.command()
@click.argument("file")
@click.option("--query", "names", multiple=True, metavar="NAME", help="Only this query of the file.")
@where_options
@click.pass_context
def simulate(ctx: click.Context, file: str, names: tuple[str, ...], where: Where) -> None:
    """Play the events of FILE (.slt) one by one and show each query's answers as they fall due.

    A running stream answers what lies before its watermark; what the clock alone would bring is shown at the
    end. If the file tells an answer and another one comes, the exit code is 1.
    """
    text = Text(decoded(read_bytes(Path(file)), file), file)
    scenario = read(text.sql, file)
    if where.remote is not None and not is_by_variable("remote"):
        raise click.UsageError("simulate plays its events in a Spark of its own, without --remote.")
    known = [query.name for query in scenario.queries]
    if not known:
        raise Failure(f"There is no query in {file}.")
    for name in names:
        if name not in known:
            raise Failure(f"{file} has no query {name}; it has {', '.join(known)}.")
    chosen = [query for query in scenario.queries if not names or query.name in names]
    with opened(replace(where, remote=None)) as spark, Interrupts() as interrupts:
        well = [_Play(spark, scenario, query, interrupts).run() for query in chosen]
    ctx.exit(0 if all(well) else FAILED)


class _Play:
    """One query: first on streams that grow event by event, then on tables that hold all events."""

    def __init__(self, spark: SparkSession, scenario: Scenario, query: Query, interrupts: Interrupts) -> None:
        self.spark = spark
        self.scenario = scenario
        self.query = query
        self.interrupts = interrupts

    def run(self) -> bool:
        """Whether the answer is the one that the file tells, if it tells one."""
        click.echo(f"\n== {self.query.name}\n{self.query.sql}\n")
        with told_at(self.query.name), tempfile.TemporaryDirectory(prefix="csql-simulate-") as folder:
            answer = self.batch(Path(folder, "batch"))
            due = self.stream(Path(folder, "stream"))
        left = Counter(map(_line, answer)) - Counter(due)
        if left:
            click.echo("when time runs on")
            for row in map(_line, answer):
                if left[row] > 0:
                    left[row] -= 1
                    click.echo(f"    -> {row}")
        return self.compare(answer)

    def batch(self, folder: Path) -> list[tuple[Any, ...]]:
        self.fill(folder, {relation.name for relation in self.scenario.relations})
        session = self.session(folder, streaming=False)
        return Presentable(self.ask(session)).rows()

    def stream(self, folder: Path) -> list[str]:
        """Shows each event and what it brings; returns the rows that came."""
        tables = {r.name for r in self.scenario.relations if r.kind == "table"}
        self.fill(folder, tables)
        session = self.session(folder, streaming=True)
        frame = self.ask(session)
        if not frame.isStreaming:
            click.echo("(reads no stream: the answer is complete at once)")
            return []
        came: list[str] = []
        with closing(Following(session, frame)) as following:
            for number, (name, values) in enumerate(self.scenario.events):
                self.interrupts.check()
                if name in tables:
                    continue
                aside = folder / f"{number}.csv"
                _append(aside, values)
                aside.rename(folder / name / aside.name)  # the stream sees whole files only
                following.query.processAllAvailable()
                click.echo(f"{name}  {'  '.join(shown(value) for value in values)}")
                rows = [_line(row) for row in following.fresh()]
                for row in rows:
                    click.echo(f"    -> {row}")
                came += rows
        return came

    def fill(self, folder: Path, names: set[str]) -> None:
        """Writes all events of some relations."""
        for relation in self.scenario.relations:
            Path(folder, relation.name).mkdir(parents=True)
        for name, values in self.scenario.events:
            if name in names:
                _append(folder / name / "all.csv", values)

    def session(self, folder: Path, streaming: bool) -> SparkSession:
        """A session that knows the relations of the scenario."""
        session = self.spark.newSession()
        settings = {"spark.sql.session.timeZone": "UTC", "spark.csql.notices": "false", **self.query.settings}
        for key, value in settings.items():
            session.conf.set(key, value)
        for aggregate in self.scenario.aggregates:
            session.sql(aggregate)
        for relation in self.scenario.relations:
            source = relation.query
            if relation.schema:
                grows = streaming and relation.kind == "stream"
                rows = _rows(session, relation.schema, folder / relation.name, grows)
                rows.createOrReplaceTempView(f"{relation.name}_rows")
                source = f"SELECT * FROM {quoted(relation.name + '_rows')}"
            kind = "STREAM" if relation.kind == "stream" else "VIEW"
            order = f" ORDER BY {relation.order_by}" if relation.order_by else ""
            session.sql(f"CREATE OR REPLACE TEMPORARY {kind} {quoted(relation.name)}{order} AS {source}")
        return session

    def ask(self, session: SparkSession) -> DataFrame:
        return sql(session, self.query.sql, **self.query.parameters)

    def compare(self, answer: list[tuple[Any, ...]]) -> bool:
        told = self.query.answer
        if told is None:
            return True
        actual = [[None if value is None else shown(value) for value in row] for row in answer]
        if not self.query.ordered:
            told, actual = sorted(told, key=str), sorted(actual, key=str)
        same = len(told) == len(actual) and all(map(_same_row, told, actual))
        if not same:
            click.echo(f"{self.query.name}: the file tells another answer.", err=True)
        return same


def _rows(session: SparkSession, schema: str, folder: Path, grows: bool) -> DataFrame:
    reader: Any = session.readStream if grows else session.read
    frame: DataFrame = reader.schema(schema).csv(str(folder), nullValue=NULL, escape='"', mode="FAILFAST")
    return frame


def _append(file: Path, values: Values) -> None:
    with file.open("a", encoding="utf-8", newline="") as out:
        quoting = csv.writer(out, quoting=csv.QUOTE_MINIMAL)
        quoting.writerow([NULL if value is None else value for value in values])


def _line(row: Sequence[Any]) -> str:
    return "  ".join(shown(value) for value in row)


def _same_row(told: Values, actual: Values) -> bool:
    return len(told) == len(actual) and all(map(_same, told, actual))


def _same(told: str | None, actual: str | None) -> bool:
    if told == actual or told is None or actual is None:
        return told == actual
    try:
        a, b = float(told), float(actual)
    except ValueError:
        return told.replace(" ", "").rstrip("0") == actual.replace(" ", "").rstrip("0")
    return a == b or abs(a - b) <= TOLERANCE * max(abs(a), abs(b))
