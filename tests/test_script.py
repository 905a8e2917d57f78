"""Scripts are cut at the semicolons that end statements, and only there."""

from __future__ import annotations

import pytest
from spark_csql.parse.script import is_complete, split

AGGREGATE = """CREATE AGGREGATE avg2(x INT) : DOUBLE {
  TABLE t(s DOUBLE, n INT);
  INITIALIZE: { INSERT INTO t VALUES (x, 1); }
  ITERATE: { UPDATE t SET s = s + x, n = n + 1; }
  TERMINATE: { INSERT INTO RETURN SELECT s / n FROM t; }
}"""
SCRIPT = """BEGIN
  DECLARE i INT = 0;
  WHILE i < 3 DO
    IF i = 1 THEN SELECT CASE WHEN i > 0 THEN 'a;b' END; END IF;
    SET i = i + 1;
  END WHILE;
END"""

FUNCTIONS = "BEGIN SELECT CASE WHEN x THEN if(a, 1, 2) ELSE repeat('b', 2) END FROM t; END"


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("", []),
        (" ; -- nothing\n;;", []),
        ("SELECT 1", ["SELECT 1"]),
        (f"{FUNCTIONS}; SELECT 1;", [FUNCTIONS, "SELECT 1"]),
        ("SELECT 1;SELECT 2;\n", ["SELECT 1", "SELECT 2"]),
        ("SELECT ';', \"a;b\", `c;d` -- ;\n; SELECT 2", ["SELECT ';', \"a;b\", `c;d`", "SELECT 2"]),
        ("/* ; /* ; */ ; */ SELECT 1; /* open ;", ["SELECT 1"]),
        ("SELECT 'it''s;' , r'\\;', 'a\\';b'; SELECT 2", ["SELECT 'it''s;' , r'\\;', 'a\\';b'", "SELECT 2"]),
        ("SELECT $$a;b$$; SELECT $t$ $$; $t$", ["SELECT $$a;b$$", "SELECT $t$ $$; $t$"]),
        (AGGREGATE + ";\nSELECT 1;", [AGGREGATE, "SELECT 1"]),
        (SCRIPT + ";\nSELECT 1", [SCRIPT, "SELECT 1"]),
        ("SELECT * FROM S [Range 1 Hour, Frequency 2 Tuples]; SELECT 2", None),
    ],
)
def test_split(text: str, statements: list[str] | None) -> None:
    found = [statement.text for statement in split(text)]
    assert found == (text.split("; ") if statements is None else statements)


def test_statements_know_their_lines() -> None:
    assert [(s.line, s.text) for s in split("\nSELECT\n1;\n\n-- two\nSELECT 2")] == [
        (2, "SELECT\n1"),
        (6, "SELECT 2"),
    ]


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        ("", True),
        ("SELECT 1", False),
        ("SELECT 1;", True),
        ("SELECT 1; -- done", True),
        ("SELECT ';", False),
        (AGGREGATE, False),
        (AGGREGATE[:-1] + ";", False),
        (AGGREGATE + ";", True),
        (SCRIPT, False),
        (SCRIPT + ";", True),
    ],
)
def test_complete(text: str, complete: bool) -> None:
    assert is_complete(text) is complete
