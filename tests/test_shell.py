"""The shell: typed statements, completion, views of streaming answers."""

from __future__ import annotations

import io
import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from rich.console import Console
from spark_csql.cli.colours import SqlColours
from spark_csql.cli.completion import Names, SqlCompleter
from spark_csql.cli.follow import Following
from spark_csql.cli.main import main
from spark_csql.cli.output import Printer
from spark_csql.cli.shell import Shell
from spark_csql.queries import ContinuousQuery

BEATS = "SELECT value FROM shell_beats"


@pytest.fixture
def beats(spark: Any) -> Iterator[str]:
    spark.sql("CREATE OR REPLACE TEMPORARY STREAM shell_beats SOURCE 'rate://?rowsPerSecond=50'")
    yield BEATS
    for query in spark.streams.active:
        query.stop()
    spark.sql("DROP STREAM shell_beats")


def piped(monkeypatch: pytest.MonkeyPatch, text: str | bytes, *words: str) -> int:
    content = text if isinstance(text, bytes) else text.encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    return main(["shell", *words])


def test_a_script_from_a_pipe(
    spark: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert piped(monkeypatch, "SELECT 1 AS a;\nSELECT 2 AS b", "--json") == 0
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == [{"a": 1}, {"b": 2}]
    assert piped(monkeypatch, "SELECT 1 AS a;\n.quit\nSELECT 2 AS b") == 0
    assert capsys.readouterr().out == "a\n1\n"
    assert piped(monkeypatch, "SELECT 1 AS a;\n.nothing\n") == 1
    done = capsys.readouterr()
    assert done.out == "a\n1\n"
    assert done.err == "Error: There is no command .nothing; .help lists them.\n"


def test_what_comes_from_a_pipe_is_utf_8(
    spark: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert piped(monkeypatch, b"\xef\xbb\xbfSELECT 'e\xcc\x81' AS a") == 0
    assert capsys.readouterr().out == "a\ne\u0301\n"
    assert piped(monkeypatch, b"SELECT '\xff'") == 1
    told = "Error: standard input is not UTF-8 text: byte 8 does not belong there.\n"
    assert capsys.readouterr().err == told
    monkeypatch.setattr("sys.stdin", None)
    assert main(["shell"]) == 2
    assert "There is no standard input." in capsys.readouterr().err


def test_debug_tells_where_an_error_comes_from(
    spark: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert piped(monkeypatch, "SELECT * FROM nowhere", "--debug") == 1
    assert "Traceback" in capsys.readouterr().err


def test_typing(
    spark: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Enter sends what is complete; an error is told and the shell goes on; history is kept."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        keys.send_text("SELECT 1 +\r2 AS three;\rSELECT * FROM S [Rows 0];\r.help\rquit\r")
        assert Shell(spark, Printer(), 10, "live").interact()
    done = capsys.readouterr()
    assert "three\n3\n" in done.out
    assert ".view NAME" in done.out
    assert "CSQL_LENGTH_NOT_POSITIVE" in done.err
    assert "+SELECT 1 +\n+2 AS three;\n" in (tmp_path / "spark-csql" / "history").read_text()


def test_the_shell_survives_what_is_dropped(spark: Any, capsys: pytest.CaptureFixture[str]) -> None:
    own = spark.newSession()
    own.sql("CREATE OR REPLACE TEMPORARY VIEW inner_view AS SELECT 1 AS a")
    own.sql("CREATE OR REPLACE TEMPORARY VIEW outer_view AS SELECT * FROM inner_view")
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        keys.send_text("CREATE DATABASE shell_d; USE shell_d; DROP DATABASE shell_d;\r")
        keys.send_text("SELECT 1 AS a;\rUSE default;\rDROP VIEW inner_view;\r")
        keys.send_text("SELECT 2 AS b FROM outer_view WHERE ab\t;\rSELECT 3 AS c;\rexit;\r")
        assert Shell(own, Printer(), 10, "live").interact()
    done = capsys.readouterr()
    assert "a\n1\n" in done.out
    assert done.out.endswith("c\n3\n")
    assert "TABLE_OR_VIEW_NOT_FOUND" in done.err


def test_completion(spark: Any) -> None:
    own = spark.newSession()  # without the views of other tests
    own.conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN")  # Spark's own list of tables fails in it
    rates = own.createDataFrame([(1, 2)], "heartbeat_of INT, rate INT")
    rates.createOrReplaceTempView("PulseRates")
    names = Names(own)
    names.refresh()
    completer = SqlCompleter(names, [".help", ".queries"])

    def offered(text: str) -> set[str]:
        return {c.text for c in completer.get_completions(Document(text), CompleteEvent())}

    assert "pulserates" in offered("SELECT * FROM Pul")
    assert {"heartbeat_of"} == offered("SELECT * FROM PulseRates WHERE heartb")
    assert {"rate"} == offered("SELECT * FROM PulseRates AS P WHERE P.ra")
    assert {"rate"} == offered("SELECT * FROM PulseRates P [Rows 5] WHERE P.ra")
    assert {"Frequency", "From"} == offered("SELECT * FROM S [Range 1 Hour, F")
    assert "CONTINUOUS" in offered("SHOW CONT")
    assert {".help"} == offered(".h")
    assert offered("") == set()


def test_colours_lose_no_letter() -> None:
    text = "SELECT a, -- why\n'b\nc' FROM S [Range 5 Minutes] /* open\n\n"
    line = SqlColours().lex_document(Document(text))
    lines = text.split("\n")
    assert ["".join(part[1] for part in line(i)) for i in range(len(lines))] == lines
    assert ("class:own", "Range") in line(2)


@pytest.mark.parametrize("mode", ["live", "changelog"])
def test_ctrl_c_ends_the_view_and_not_the_query(
    spark: Any, beats: str, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = Console(file=io.StringIO(), force_terminal=mode == "live", width=100)
    shell = Shell(spark, Printer(console=screen), 10, mode)
    wait = Following.wait

    def until_rows(following: Following, seconds: int) -> bool:
        if following.seen > 3:
            signal.raise_signal(signal.SIGINT)
        return wait(following, seconds)

    monkeypatch.setattr(Following, "wait", until_rows)
    assert shell.enter(beats)
    assert "view_1 runs on" in screen.file.getvalue()  # type: ignore[attr-defined]
    assert [query.name for query in spark.streams.active] == ["view_1"]
    assert shell.enter(".view view_1")
    assert shell.enter(".stop view_1")
    assert not spark.streams.active
    assert not shell.enter(".stop view_1")
    if mode == "live":
        assert "view_1: " in screen.file.getvalue()  # type: ignore[attr-defined]


def test_a_failing_stream_is_told(spark: Any, beats: str, capsys: pytest.CaptureFixture[str]) -> None:
    shell = Shell(spark, Printer(), 10, "changelog")
    assert not shell.enter("SELECT raise_error('no good') AS e FROM shell_beats")
    assert "no good" in capsys.readouterr().err
    shell.end_views()


def test_top_shows_every_query(
    spark: Any, beats: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    spark.sql("CREATE STREAM top_beats SOURCE 'rate'")
    spark.sql("CREATE CONTINUOUS QUERY top_q AS SELECT value FROM top_beats")
    try:
        assert main(["top", "--once", "--json"]) == 0
        (told,) = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert (told["name"], told["status"], told["last error"]) == ("top_q", "RUNNING", "")
        shell = Shell(spark, Printer(), 10, "changelog")
        assert shell.enter(".queries")
        assert "top_q\tRUNNING\tdefault.top_q" in capsys.readouterr().out
        assert shell.enter(".stop top_q")
        gone = ContinuousQuery(spark, "gone")  # dropped when it had just been listed
        monkeypatch.setattr("spark_csql.cli.top.queries", lambda _: [gone, ContinuousQuery(spark, "top_q")])
        assert main(["top", "--once", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["name"] == "top_q"
    finally:
        spark.sql("DROP CONTINUOUS QUERY top_q")
        spark.sql("DROP TABLE top_q")
        spark.sql("DROP STREAM top_beats")
