"""The case format: values go into a file and come back; bad files are told."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests import slt
from tests.values import difference, parse, parse_as, render, render_rows, tokens

VALUES: list[Any] = [
    None,
    True,
    3,
    -3,
    2.0,
    -0.1,
    1e300,
    float("inf"),
    "a",
    "",
    "a b",
    "it's",
    "NULL",
    "true",
    "12",
    "1.5",
    "2026-01-01",
    "#",
    "----",
    "x,y",
    dt.date(2026, 1, 31),
    dt.datetime(2026, 1, 31, 12, 0, 0, 500000),
    dt.datetime(1901, 12, 13, 20, 45, 52),
    [1, None, 2],
    ["a b", "c"],
    [],
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_value_comes_back(value: Any) -> None:
    assert tokens(f"  1  {render(value)}  x") == ["1", render(value), "x"]
    assert parse(render(value)) == value


def test_row_of_all_values_comes_back() -> None:
    (line,) = render_rows([VALUES])
    assert [parse(token) for token in tokens(line)] == VALUES


def test_fed_values_have_their_columns_types() -> None:
    assert parse_as("12", "STRING") == "12"
    assert parse_as("12", "DOUBLE") == 12.0
    assert parse_as("1.10", "DECIMAL(10,2)") == Decimal("1.10")
    assert parse_as("NULL", "INT") is None
    assert parse_as("'NULL'", "STRING") == "NULL"


@pytest.mark.parametrize(
    ("expected", "actual", "ordered", "same"),
    [
        ([(1, 2.0)], [(1, 2.0 + 1e-12)], True, True),
        ([(1, 2.0)], [(1, 2)], True, False),
        ([(1,), (2,)], [(2,), (1,)], True, False),
        ([(1,), (2,)], [(2,), (1,)], False, True),
        ([(1,), (1,)], [(1,)], False, False),
        ([(None,)], [(0,)], True, False),
        ([(1.5,)], [(Decimal("1.50"),)], True, True),
        ([("a", 0.1 + 0.2), ("a", 0.5)], [("a", 0.5), ("a", 0.3)], False, True),
    ],
)
def test_difference(expected: list[Any], actual: list[Any], ordered: bool, same: bool) -> None:
    assert (difference(expected, actual, ordered) is None) == same


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("squery x\nSELECT 1", "unknown directive"),
        ("feed S\n1", "can be fed"),
        ("table S (a INT)\n\nfeed S\n1 2", "has 2 values"),
        ("table S (a INT) order by a", "only a stream"),
        ("table S (a INT)\n\ntable s (a INT)", "declared twice"),
        ("view V (a INT)", "a view has a query"),
        ("view V order by a as\nSELECT 1 AS a", "a view has a query"),
        ("query\nSELECT 1", "expected"),
        ("query a sorted\nSELECT 1", "expected"),
        ("query a\nSELECT 1\n\nquery a\nSELECT 2", "same name"),
        ("error csql\nSELECT 1", "expected"),
        ("error CSQL_X\n", "no statement"),
        ("aggregate\nDROP AGGREGATE f", "CREATE"),
        (
            "aggregate\nCREATE AGGREGATE f() : INT { }\n\naggregate\nCREATE AGGREGATE F() : INT { }",
            "declared twice",
        ),
    ],
)
def test_bad_file_is_told(text: str, told: str) -> None:
    with pytest.raises(slt.BadCase, match=told):
        slt.Reader(Path("bad.slt"), text).read()


def test_answers_are_written_where_they_belong(tmp_path: Path) -> None:
    path = tmp_path / "x.slt"
    path.write_text("# top\nquery a\nSELECT 1\n\nquery b n=2 unordered\nSELECT 2\n----\nold\n\n# end\n")
    text = slt.complete(slt.read(path), {"a": ([(1, "x y")], False), "b": ([], True)})
    assert text == (
        "# top\nquery a unordered\nSELECT 1\n----\n1  'x y'\n\nquery b n=2\nSELECT 2\n----\n\n# end\n"
    )


def test_two_versions_of_an_aggregate() -> None:
    text = "aggregate\nCREATE AGGREGATE f(x INT) : INT { }\n\naggregate\nCREATE OR REPLACE WINDOW AGGREGATE f(x INT)\n: INT { }\n"
    relations = slt.Reader(Path("here.slt"), text).read().relations
    assert list(relations) == ["aggregate f", "window aggregate f"]
    assert slt.dump(relations.values(), []) == text
