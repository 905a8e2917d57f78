"""The dialect of sqlglot: clauses survive the way there and back, whether sqlglot is compiled or not."""

from __future__ import annotations

import pytest
import sqlglot
from spark_csql import validate
from spark_csql.parse.cursor import Tokens
from spark_csql.parse.finder import find
from spark_csql.parse.lexer import lex
from sqlglot import exp

from tests.mutations import corpus


def clauses(text: str) -> list[str]:
    tokens = Tokens([token for token in lex(text) if token.visible])
    return sorted(
        " ".join(tokens[i].text for i in range(bracket.first, bracket.last + 1))
        for bracket in find(tokens).brackets
    )


def test_the_dialect_is_found_by_its_name() -> None:
    tree = sqlglot.parse_one("SELECT a FROM S [Range 1 Hour] AS x WHERE a > 1", dialect="csql")
    assert isinstance(tree, exp.Select)
    assert [table.name for table in tree.find_all(exp.Table)] == ["S"]
    assert tree.sql("csql") == "SELECT a FROM S AS x [Range 1 Hour] WHERE a > 1"
    tree.where("b < 2", copy=False)
    assert tree.sql("csql") == "SELECT a FROM S AS x [Range 1 Hour] WHERE a > 1 AND b < 2"


@pytest.mark.parametrize(
    ("text", "again"),
    [
        (
            "SELECT a, COUNT(*) [Frequency 10 Tuples Partitioned By a] AS n FROM S [Rows 5] GROUP BY a",
            "SELECT a, COUNT(*) AS n [Frequency 10 Tuples Partitioned By a] FROM S [Rows 5] GROUP BY a",
        ),
        (
            "SELECT a FROM (SELECT a FROM t [Now]) [Rows 2] y",
            "SELECT a FROM (SELECT a FROM t [Now]) AS y [Rows 2]",
        ),
        ("SHOW STREAMS", "SHOW STREAMS"),
        ("CREATE STREAM s ORDER BY ts AS SELECT * FROM t [Rows 5]", None),
        ("SELECT SUM(a) OVER (ROWS 5 PRECEDING SLIDE 2) FROM s", None),
        ("ISTREAM(SELECT a FROM s [Now])", None),
        ("SELECT 1 /* csql:x */", "SELECT 1 /* csql:x */"),
    ],
)
def test_there_and_back(text: str, again: str | None) -> None:
    (tree,) = sqlglot.parse(text, dialect="csql")
    assert tree is not None
    assert tree.sql("csql") == (text if again is None else again)


def test_no_clause_is_lost() -> None:
    trees = 0
    for text in corpus():
        if validate(text) or ";" in text:
            continue
        (tree,) = sqlglot.parse(text, dialect="csql")
        assert tree is not None
        assert clauses(tree.sql("csql")) == clauses(text), text
        trees += not isinstance(tree, exp.Command)
    assert trees > 300


def test_several_statements_and_plain_ones() -> None:
    first, second = sqlglot.parse("SELECT 1; SELECT * FROM s [Rows 1];", dialect="csql")
    assert first is not None
    assert second is not None
    assert (first.sql("csql"), second.sql("csql")) == ("SELECT 1", "SELECT * FROM s [Rows 1]")
    with pytest.raises(sqlglot.errors.ParseError):
        sqlglot.parse_one("SELECT FROM WHERE (", dialect="csql")
