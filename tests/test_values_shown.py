"""Values of every type, as the command line and notebooks show them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from spark_csql.cli.execution import Execution
from spark_csql.cli.output import Printer
from spark_csql.notebook.table import Answer

INSTANT = "TIMESTAMP '2026-05-01 06:00:00.5 UTC'"
VALUES = [
    ("map(DATE '2026-01-02', 1)", '{"2026-01-02":1}', {"2026-01-02": 1}),
    ("map(1, map(true, 2))", '{"1":{"true":2}}', {"1": {"true": 2}}),
    ("INTERVAL '1' YEAR", "INTERVAL '1' YEAR", "INTERVAL '1' YEAR"),
    ("make_interval(1)", "1 years", "1 years"),
    ("struct(make_interval(1) AS i)", '{"i":"1 years"}', {"i": "1 years"}),
    ("TIME '01:02:03'", "01:02:03", "01:02:03"),
    ("double('NaN')", "NaN", "NaN"),
    ("-double('Infinity')", "-Infinity", "-Infinity"),
    ("array(double('NaN'), 1.5D)", '["NaN",1.5]', ["NaN", 1.5]),
    ("struct(1 AS a, NULL AS b, 'é' AS c)", '{"a":1,"b":null,"c":"é"}', {"a": 1, "b": None, "c": "é"}),
    (INSTANT, "2026-05-01 08:00:00.5", "2026-05-01 08:00:00.5"),
    (f"array({INSTANT})", '["2026-05-01 08:00:00.5"]', ["2026-05-01 08:00:00.5"]),
    (
        f"array(struct({INSTANT} AS t), NULL)",
        '[{"t":"2026-05-01 08:00:00.5"},null]',
        [{"t": "2026-05-01 08:00:00.5"}, None],
    ),
    (f"map({INSTANT}, 1)", '{"2026-05-01 08:00:00.5":1}', {"2026-05-01 08:00:00.5": 1}),
    ("parse_json('{\"a\": [1, 2]}')", '{"a":[1,2]}', {"a": [1, 2]}),
    ("struct(parse_json('1') AS v)", '{"v":1}', {"v": 1}),
    ("X'00ff'", "00ff", "00ff"),
    ("struct(X'00ff' AS b)", '{"b":"00ff"}', {"b": "00ff"}),
    ("CAST(NULL AS STRUCT<b: BINARY>)", "NULL", None),
    ("true", "true", True),
    ("1.50BD", "1.50", "1.50"),
]


ALL = "SELECT " + ", ".join(value for value, _, _ in VALUES)


@pytest.fixture
def abroad(spark: Any) -> Any:
    """A session in another time zone than this process."""
    session = spark.newSession()
    session.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    return session


def test_lines(abroad: Any, capsys: pytest.CaptureFixture[str]) -> None:
    Execution(abroad, Printer(), {}, None, follow=False).run(ALL)
    _, row = capsys.readouterr().out.splitlines()
    assert row.split("\t") == [text for _, text, _ in VALUES]


def test_json(abroad: Any, capsys: pytest.CaptureFixture[str]) -> None:
    Execution(abroad, Printer(as_json=True), {}, None, follow=False).run(ALL)
    assert list(json.loads(capsys.readouterr().out).values()) == [value for _, _, value in VALUES]


def test_no_digit_of_a_nested_number_is_lost(spark: Any, capsys: pytest.CaptureFixture[str]) -> None:
    digits = "12345678901234567890.123456789"
    Execution(spark, Printer(as_json=True), {}, None, follow=False).run(f"SELECT array({digits}BD) AS a")
    assert capsys.readouterr().out == f'{{"a": [{digits}]}}\n'


def test_notebooks(abroad: Any) -> None:
    row = repr(Answer.of(abroad.sql(ALL))).splitlines()[1]
    assert row.split("\t") == [text for _, text, _ in VALUES]


def test_streams(abroad: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text('{"t": "2026-05-01T06:00:00Z"}\n')
    rows = abroad.readStream.schema("t TIMESTAMP").json(str(tmp_path))
    rows.createOrReplaceTempView("arrivals")
    sql = (
        "SELECT struct(t, array(t) AS ts, map(DATE(t), X'00') AS m) AS s, make_interval(1) AS i FROM arrivals"
    )
    Execution(abroad, Printer(as_json=True), {}, 1, follow=True).run(sql)
    time = "2026-05-01 08:00:00"
    assert json.loads(capsys.readouterr().out) == {
        "s": {"t": time, "ts": [time], "m": {"2026-05-01": "00"}},
        "i": "1 years",
    }
