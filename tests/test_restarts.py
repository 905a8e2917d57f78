"""Applications that end, or are killed, and others on the same warehouse that go on. Each is a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

START = """
import sys, time
import spark_csql

spark = spark_csql.session(
    {
        "spark.sql.warehouse.dir": sys.argv[1],
        "spark.driver.memory": "1g",
        "spark.sql.shuffle.partitions": "2",
        "spark.log.level": "OFF",
    },
    master="local[2]",
)

def until(condition):
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.1)

def ids(table="q"):
    return sorted(row.id for row in spark.sql(f"SELECT id FROM {table}").collect())

def status(name="q"):
    rows = spark.sql(f"DESCRIBE CONTINUOUS QUERY {name}").collect()
    return {row.name: row.value for row in rows}["status"]

def refused(statement):
    try:
        spark.sql(statement)
    except Exception as error:
        return error.getCondition()

def say(*words):
    print(*words, flush=True)
"""


class Place:
    """A warehouse and a folder of rows."""

    def __init__(self, folder: Path) -> None:
        self.warehouse = folder / "warehouse"
        self.rows = folder / "rows"
        self.rows.mkdir()

    def add(self, *ids: int) -> None:
        aside = self.rows / f".{ids[0]}"
        aside.write_text("".join(f'{{"id": {i}}}\n' for i in ids))
        aside.rename(self.rows / f"rows-{ids[0]}")

    def stored(self, query: str) -> dict[str, Any]:
        """What the warehouse remembers of a continuous query."""
        files = [json.loads(file.read_text()) for file in self.warehouse.rglob("*.json")]
        (found,) = (content for content in files if content.get("name") == query)
        return dict(found)

    @contextlib.contextmanager
    def application(self, script: str) -> Iterator[subprocess.Popen[str]]:
        program = START + textwrap.dedent(script)
        with subprocess.Popen(
            [sys.executable, "-c", program, str(self.warehouse)],
            stdout=subprocess.PIPE,
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,  # so that it can be killed with its Java process
        ) as process:
            try:
                yield process
            finally:
                if process.poll() is None:
                    kill(process)

    def run(self, script: str) -> list[str]:
        """What an application prints; it must end well."""
        with self.application(script) as process:
            out, err = process.communicate()
            assert process.returncode == 0, err[-4000:]
            return out.splitlines()


def kill(process: subprocess.Popen[str]) -> None:
    os.killpg(process.pid, signal.SIGKILL)


def line(process: subprocess.Popen[str]) -> str:
    """What the application says next."""
    assert process.stdout is not None
    said = process.stdout.readline()
    if not said:
        _, err = process.communicate()
        pytest.fail(err[-4000:])
    return said.strip()


def go_on(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def create(place: Place) -> str:
    return f"""
    spark.sql("CREATE STREAM s (id INT) SOURCE 'json:{place.rows}'")
    spark.sql("CREATE STREAM positive AS SELECT * FROM s WHERE id > 0")
    spark.sql("CREATE CONTINUOUS QUERY q AS SELECT id FROM positive")
    """


def test_a_new_application_finds_streams_queries_aggregates_and_results(place: Place) -> None:
    place.add(1, -1)
    assert place.run(
        create(place)
        + """
    until(lambda: ids() == [1])
    newest = "AGGREGATE newest(x INT) : INT { ITERATE: { } TERMINATE: { INSERT INTO RETURN VALUES (x%s) } }"
    spark.sql(f"CREATE {newest % ''}")
    spark.sql(f"CREATE WINDOW {newest % ' * 10'}")
    spark.sql("CREATE DATABASE d")
    spark.sql("USE d")
    spark.sql(f"CREATE {newest % ' + 1'}")
    spark.sql("CREATE STREAM t AS SELECT 1 AS one")
    spark.sql("CREATE STREAM gone AS SELECT 1 AS one")
    spark.sql("DROP VIEW gone")
    spark.stop()
    say("ended")
    """
    ) == ["ended"]
    place.add(2)
    assert place.run(
        """
    say(*(row.streamName for row in spark.sql("SHOW STREAMS").collect()))
    say(status(), *ids())
    rows = "VALUES (1), (2) AS t(x)"
    say(*(row[0] for row in spark.sql(f"SELECT newest(x) FROM {rows}").collect()))
    say(*(row[0] for row in spark.sql(f"SELECT newest(x) OVER (ORDER BY x ROWS 1 PRECEDING) FROM {rows}").collect()))
    spark.sql("USE d")
    say(*(row.streamName for row in spark.sql("SHOW STREAMS").collect()))
    say(*(row[0] for row in spark.sql(f"SELECT newest(x) FROM {rows}").collect()))
    spark.sql("DROP AGGREGATE newest")
    (folder,) = (r[1] for r in spark.sql("DESCRIBE DATABASE d").collect() if r[0] == "Location")
    say(folder.startswith(f"file:{sys.argv[1]}/"))
    spark.sql("USE default")
    spark.sql("RESUME CONTINUOUS QUERY q")
    until(lambda: ids() == [1, 2])
    say(status())
    spark.sql("DROP CONTINUOUS QUERY q")
    spark.sql("DROP STREAM s")
    """
    ) == ["positive s", "STOPPED 1", "2", "10 20", "t", "3", "True", "RUNNING"]
    assert place.run(
        """
    say(*(row.streamName for row in spark.sql("SHOW STREAMS").collect()))
    say(spark.sql("SHOW CONTINUOUS QUERIES").count())
    say(*(row.versions for row in spark.sql("SHOW AGGREGATES").collect()))
    spark.sql("USE d")
    say(spark.sql("SHOW AGGREGATES").count())
    """
    ) == ["positive", "0", "base, window", "0"]


def test_a_query_that_was_interrupted_can_be_stopped(place: Place) -> None:
    assert place.run(create(place) + "spark.stop(); say('ended')") == ["ended"]
    assert place.stored("q")["status"] == "RUNNING"  # an application that resumes queries would run it
    assert place.stored("q")["settings"]["spark.sql.ansi.enabled"] == "true"
    assert place.run("spark.sql('STOP CONTINUOUS QUERY q'); say(status())") == ["STOPPED"]
    assert place.stored("q")["status"] == "STOPPED"


def test_a_killed_application_loses_and_doubles_nothing(place: Place) -> None:
    place.add(1)
    with place.application(
        create(place)
        + """
    until(lambda: ids() == [1])
    say("there")
    input()
    """
    ) as first:
        assert line(first) == "there"
        place.add(2, 3)
        kill(first)
    place.add(4)
    assert place.run(
        """
    spark.sql("RESUME CONTINUOUS QUERY q")
    until(lambda: len(ids()) >= 4)
    spark.sql("STOP CONTINUOUS QUERY q")
    say(*ids())
    """
    ) == ["1 2 3 4"]


def test_two_applications_do_not_run_one_query(place: Place) -> None:
    place.add(1)
    with place.application(
        create(place)
        + """
    until(lambda: ids() == [1])
    say("there")
    input()
    spark.sql("STOP CONTINUOUS QUERY q")
    say("stopped")
    input()
    """
    ) as first:
        assert line(first) == "there"
        with place.application(
            """
        say(status(), refused("RESUME CONTINUOUS QUERY q"), refused("DROP CONTINUOUS QUERY q"))
        input()
        spark.sql("RESUME CONTINUOUS QUERY q")
        until(lambda: ids() == [1, 2])
        say(status())
        """
        ) as second:
            assert line(second) == "RUNNING CSQL_QUERY_ELSEWHERE CSQL_QUERY_ELSEWHERE"
            go_on(first)
            assert line(first) == "stopped"
            place.add(2)
            go_on(second)
            assert line(second) == "RUNNING"
