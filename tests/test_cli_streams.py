"""Streaming answers and continuous queries on the command line."""

from __future__ import annotations

import io
import signal
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from spark_csql.cli.execution import Execution
from spark_csql.cli.output import Printer
from spark_csql.queries import ContinuousQuery, queries

from tests.commands import Command


def test_run_refuses_an_endless_answer_unless_it_follows(spark: Any, csql: Command) -> None:
    spark.sql("CREATE OR REPLACE TEMPORARY STREAM cli_beats SOURCE 'rate://?rowsPerSecond=100'")
    done = csql("run", "-e", "SELECT value FROM cli_beats")
    assert done.code == 1
    assert "This answer never ends" in done.err
    done = csql(
        "run", "-e", "SELECT value, value AS value FROM cli_beats [Rows 1]", "--follow", "--limit", "3"
    )
    header, *rows = done.out.splitlines()
    assert (done.code, header, len(rows), done.err) == (0, "value\tvalue", 3, "")
    assert all(row.split("\t")[0] == row.split("\t")[1] for row in rows)
    assert not spark.streams.active


def test_run_follow_prints_a_header_on_a_terminal_too(
    spark: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """And all rows, where people are shown the first thousand of a table."""
    (tmp_path / "rows.json").write_text("".join(f'{{"n": {n}}}\n' for n in range(1100)))
    spark.sql(f"CREATE OR REPLACE TEMPORARY STREAM cli_many (n INT) SOURCE 'json:{tmp_path}'")
    terminal = Printer(console=Console(file=io.StringIO(), force_terminal=True))
    Execution(spark, terminal, {}, 1100, follow=True).run("SELECT n FROM cli_many")
    header, *rows = capsys.readouterr().out.splitlines()
    assert (header, len(rows)) == ("n", 1100)


@pytest.fixture
def kept(spark: Any) -> Iterator[str]:
    """A stream, and a name for a continuous query over it."""
    spark.sql("CREATE STREAM cli_ticks SOURCE 'rate'")
    name = f"cli_{uuid.uuid4().hex}"
    yield name
    spark.sql(f"DROP CONTINUOUS QUERY IF EXISTS {name}")
    spark.sql(f"DROP TABLE IF EXISTS {name}")
    spark.sql("DROP STREAM cli_ticks")


def test_run_tells_which_queries_end_with_it(spark: Any, csql: Command, kept: str) -> None:
    done = csql("run", "-e", f"CREATE CONTINUOUS QUERY {kept} AS SELECT value FROM cli_ticks")
    told = f"These queries stop now, because this process ends: {kept}. --follow waits.\n"
    assert done == (0, "", told)


def test_run_waits_for_queries_that_end(spark: Any, csql: Command, kept: str) -> None:
    text = f"CREATE CONTINUOUS QUERY {kept} AVAILABLE NOW AS SELECT value FROM cli_ticks"
    assert csql("run", "-e", text) == (0, "", "")
    assert ContinuousQuery(spark, kept).status == "FINISHED"


def test_run_follow_waits_for_queries_until_ctrl_c(
    spark: Any, csql: Command, kept: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = iter([False, True])
    wait = ContinuousQuery.awaitTermination

    def interrupted_at_the_second_look(query: ContinuousQuery, timeout: float | None = None) -> bool:
        if next(looks):
            signal.raise_signal(signal.SIGINT)
        return wait(query, timeout)

    monkeypatch.setattr(ContinuousQuery, "awaitTermination", interrupted_at_the_second_look)
    done = csql("run", "--follow", "-e", f"CREATE CONTINUOUS QUERY {kept} AS SELECT value FROM cli_ticks")
    assert done == (0, "", f"These queries run until Ctrl-C: {kept}.\n")
    assert ContinuousQuery(spark, kept).isActive


def test_explain_only_explains_what_writes_starts_or_removes(spark: Any, csql: Command, kept: str) -> None:
    spark.sql("CREATE OR REPLACE TEMPORARY VIEW stays AS SELECT 1 AS n")
    text = f"""
        DROP VIEW stays;
        DROP STREAM cli_ticks;
        /* a copy */ CREATE TABLE copied AS SELECT * FROM stays;
        CREATE CONTINUOUS QUERY {kept} AS SELECT value FROM cli_ticks [Rows 3];
        DROP CONTINUOUS QUERY {kept};
    """
    done = csql("explain", "-e", text)
    assert done.code == 0, done.err
    assert spark.table("stays").count() == 1
    assert not spark.catalog.tableExists("copied")
    assert [query.name for query in queries(spark)] == []
    assert spark.table("cli_ticks").isStreaming


def test_explain_runs_definitions_and_explains_queries(spark: Any, csql: Command) -> None:
    text = "CREATE OR REPLACE TEMPORARY VIEW E AS SELECT 1 AS n; SELECT SUM(n) FROM E [Rows :k, Frequency 2 Tuples]"
    done = csql("explain", "-e", text, "--param", "k=3")
    assert done.code == 0, done.err
    assert "Physical Plan" in done.out
    done = csql("explain", "-e", "SELECT * FROM nowhere [Rows 1]")
    assert done.code == 1
    assert done.err.startswith("Error: -e, statement 1 (line 1): ")
