"""Streams that fall silent: with spark.csql.idleTimeout the clock moves their time."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.batch import error_class_of
from tests.feeds import Feed, declare, second

SILENT = "SELECT id, v FROM (SELECT id, v, COUNT(*) OVER (PARTITION BY id RANGE 1 SECOND PRECEDING ACTIVE EXPIRATION) AS n FROM s) WHERE n = 0"
TOTALS = "SELECT evaluation_time() AS at, SUM(v) AS total FROM s [Range 1 Second, Frequency 1 Second]"


@pytest.fixture
def feed(spark: Any, tmp_path: Path) -> Feed:
    made = Feed(spark.newSession(), tmp_path)
    made.stream().createOrReplaceTempView("arrivals")
    return made


class Running:
    """A query that goes on until it is stopped."""

    def __init__(self, feed: Feed, frame: Any) -> None:
        self.spark, self.schema, self.out = feed.spark, frame.schema, str(feed.folder / "out")
        writer = frame.writeStream.format("parquet").option("path", self.out)
        self.query = writer.option("checkpointLocation", str(feed.folder / "checkpoint")).start()

    def answers(self) -> list[tuple[Any, ...]]:
        if not Path(self.out).exists():
            return []
        return sorted(tuple(row) for row in self.spark.read.schema(self.schema).parquet(self.out).collect())

    def late(self) -> int:
        progress = self.query.recentProgress
        return sum(op["numRowsDroppedByWatermark"] for p in progress for op in p["stateOperators"])

    def wait(self, condition: Callable[[], bool]) -> None:
        patience = time.monotonic() + 120
        while not condition():
            failure = self.query.exception()
            assert failure is None, failure
            assert time.monotonic() < patience, self.answers()
            time.sleep(0.05)


@pytest.mark.parametrize(
    ("query", "answer"),
    [(SILENT, [(1, 7), (2, 8)]), (TOTALS, [(second(1), 7), (second(2), 8)])],
    ids=["expiries", "ticks"],
)
def test_the_clock_closes_the_windows_of_a_silent_stream(feed: Feed, query: str, answer: list[Any]) -> None:
    sql = declare(feed)
    feed.spark.conf.set("spark.csql.idleTimeout", "200ms")
    feed.send((1, second(0.5), 7), (2, second(1.5), 8))
    running = Running(feed, sql(query))
    try:
        running.wait(lambda: running.answers() == answer)
    finally:
        running.query.stop()


@pytest.mark.parametrize("query", [SILENT, TOTALS], ids=["expiries", "ticks"])
def test_what_the_clock_has_passed_is_late_and_a_restart_knows_it(feed: Feed, query: str) -> None:
    sql = declare(feed)
    feed.spark.conf.set("spark.csql.idleTimeout", "200ms")
    feed.send((1, second(0.5), 7))
    running = Running(feed, sql(query))
    try:
        running.wait(lambda: len(running.answers()) == 1)
    finally:
        running.query.stop()
    before = running.answers()
    feed.send((3, second(0.6), 9))
    running = Running(feed, sql(query))
    try:
        running.wait(lambda: running.late() == 1)
        assert running.answers() == before
    finally:
        running.query.stop()


def test_nobody_was_silent_while_nobody_listened(feed: Feed) -> None:
    sql = declare(feed)
    feed.spark.conf.set("spark.csql.idleTimeout", "2s")
    feed.send((1, second(1), 1))
    feed.send((1, second(10), 1))
    feed.kept(sql(TOTALS))
    time.sleep(5)  # the query is not running
    for number in (11, 12, 13, 30):
        feed.send((1, second(number), 1))
    answers = feed.kept(sql(TOTALS))
    assert [row for row in answers if row[0] < second(30)] == [(second(n), 1) for n in (1, 10, 11, 12, 13)]
    assert feed.late() == 0


def test_a_slot_that_is_open_is_no_silence(feed: Feed) -> None:
    sql = declare(feed)
    feed.spark.conf.set("spark.csql.idleTimeout", "2s")
    sampled = "SELECT * FROM s [Frequency 8 Seconds Partitioned By id]"
    query = sql(f"SELECT id, COUNT(*) AS n FROM ({sampled}) [Range 1 Hour] GROUP BY id")
    feed.send((1, second(0.5), 1))
    running = Running(feed, query)
    try:
        begun = time.monotonic()
        for number in range(1, 9):  # at the pace of their times
            time.sleep(max(0, begun + number - time.monotonic()))
            feed.send((2, second(number), 1))
        feed.send((2, second(30), 1))
        running.wait(lambda: running.answers()[:2] == [(1, 1), (2, 1)])
        assert running.late() == 0
    finally:
        running.query.stop()


def test_an_input_that_never_had_a_tuple_does_not_hold_a_join(feed: Feed, tmp_path: Path) -> None:
    sql = declare(feed)
    never = Feed(feed.spark, tmp_path / "never")
    never.stream().createOrReplaceTempView("no_arrivals")
    feed.spark.sql("CREATE OR REPLACE TEMPORARY STREAM u ORDER BY ts AS SELECT * FROM no_arrivals")
    feed.spark.conf.set("spark.csql.idleTimeout", "200ms")
    feed.send((1, second(0.5), 7), (2, second(1.5), 8))
    pairs = "s [Range 1 Second] LEFT JOIN u [Range 1 Second] ON s.id = u.id"
    running = Running(feed, sql(f"SELECT DSTREAM(s.id, evaluation_time(), u.v) FROM {pairs}"))
    try:
        answer = [(1, second(1.5), None), (2, second(2.5), None)]
        running.wait(lambda: running.answers() == answer)
    finally:
        running.query.stop()


def test_without_the_setting_a_silent_stream_stands_still(feed: Feed) -> None:
    sql = declare(feed)
    feed.send((1, second(0.5), 7), (2, second(1.5), 8))
    assert feed.run(sql(TOTALS)) == [(second(1), 7)]


def test_a_bad_setting_is_refused(feed: Feed) -> None:
    sql = declare(feed)
    feed.spark.conf.set("spark.csql.idleTimeout", "soon")
    feed.send((1, second(0.5), 7))
    with pytest.raises(Exception) as caught:  # noqa: PT011
        feed.run(sql(TOTALS))
    assert error_class_of(caught.value) == "CSQL_SETTING_INVALID"
