"""format() changes line breaks and blanks, and nothing else."""

from __future__ import annotations

from random import Random

import pytest
import spark_csql
from spark_csql.parse.lexer import lex

from tests.mutations import corpus, mutants


def meaning(text: str) -> list[str]:
    return [token.text.strip() for token in lex(text) if token.kind not in ("SPACE", "EOF")]


def test_tokens_and_comments_stay_and_a_second_time_changes_nothing() -> None:
    texts = [
        *corpus()[::3],
        *mutants(Random(1), 200),
        "; ;",
        "-- only",
        "/* a */",
        "",
        "SELECT 1 -- a\n; -- b\n",
    ]
    commented = [text.replace(" ", " -- c\n ", 3).replace(",", ", /* d\n */", 1) for text in texts]
    for text in texts + commented:
        formatted = spark_csql.format(text)
        assert meaning(formatted) == meaning(text)
        assert spark_csql.format(formatted) == formatted


@pytest.mark.parametrize(
    ("text", "formatted"),
    [
        ("select 1", "select 1\n"),
        ("select 1 ;select 2", "select 1;\n\nselect 2\n"),
        (
            "SET my.list = a  ,  SELECT b FROM c;ADD JAR /a/b.jar",
            "SET my.list = a  ,  SELECT b FROM c;\n\nADD JAR /a/b.jar\n",
        ),
        (
            "SELECT Id,COUNT(*) FROM Pulse P[Range 1 Minute,Frequency 2 Tuples] WHERE Id>1 GROUP BY Id",
            "SELECT Id, COUNT(*)\nFROM Pulse P [Range 1 Minute, Frequency 2 Tuples]\nWHERE Id>1\nGROUP BY Id\n",
        ),
        (
            "SELECT a[1] FROM (SELECT extract(year FROM d) FROM t) x [Rows 2] LEFT JOIN y ON x.a = y.a",
            "SELECT a[1]\nFROM (\n  SELECT extract(year FROM d)\n  FROM t\n) x [Rows 2]\n  LEFT JOIN y ON x.a = y.a\n",
        ),
        (
            "CREATE STREAM s ORDER BY ts LATE INTO late AS SELECT * FROM t -- all\n WHERE a",
            "CREATE STREAM s\n  ORDER BY ts\n  LATE INTO late\n  AS\n  SELECT *\n  FROM t -- all\n  WHERE a\n",
        ),
        (
            f"SELECT {', '.join(f'column_number_{i}' for i in range(8))} FROM t",
            "SELECT column_number_0, column_number_1, column_number_2, column_number_3, column_number_4,\n"
            "    column_number_5, column_number_6, column_number_7\nFROM t\n",
        ),
    ],
)
def test_layout(text: str, formatted: str) -> None:
    assert spark_csql.format(text) == formatted
