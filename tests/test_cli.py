"""The command line, in this process and with its Spark session."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from spark_csql.cli.failures import Failure, sentence

from tests.commands import Command

HEART = Path(__file__).parent.parent / "examples" / "heart.slt"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nothing"], "No such command 'nothing'"),
        (["run", "--wrong"], "No such option"),
        (["run", "missing.sql"], "missing.sql cannot be read: No such file or directory."),
        (["run", "-e", "SELECT 1", "file.sql"], "Give a file or -e, not both."),
        (["run", "-e", " ; -- nothing"], "There is no statement in -e."),
        (["run", "-e", "SELECT 1", "--param", "n"], "--param is written --param key=value"),
        (["run", "-e", "SELECT 1", "--conf", "=1"], "--conf is written --conf key=value"),
        (["run", "-e", "SELECT 1", "--limit", "-1"], "'--limit'"),
        (["run", "-e", "SELECT 1", "--master", "here"], "--master is written local[4]"),
        (["run", "-e", "SELECT 1", "--master", "local[x]"], "--master is written local[4]"),
        (["run", "-e", "SELECT 1", "--conf", "spark.master=local[x]"], "--master is written local[4]"),
        (["run", "-e", "SELECT 1", "--master", "yarn"], "YARN is found by the folder that HADOOP_CONF_DIR"),
        (
            ["serve", "connect", "--conf", "spark.master=yarn"],
            "YARN is found by the folder that HADOOP_CONF_DIR",
        ),
        (
            ["run", "-e", "SELECT 1", "--remote", "sc://localhost/;token=secret", "--master", "local"],
            "Spark runs at the server sc://localhost (--remote) or at local (--master), not at both.",
        ),
        (
            ["run", "-e", "SELECT 1", "--remote", "sc://127.0.0.1:1/;token=secret"],
            "There is no Spark Connect server at sc://127.0.0.1:1: ",
        ),
        (["run", "-e", "SELECT 1", "--remote", "sc://127.0.0.1;token=secret"], "sc://127.0.0.1: "),
        (
            ["run", "-e", "SELECT 1", "--remote", "sc:/;token=secret"],
            "--remote is written sc://host:port, not 'sc:'",
        ),
        (["simulate", str(HEART), "--remote", "sc://localhost"], "in a Spark of its own, without --remote."),
        (
            ["serve", "thrift", "--conf", "spark.hive.server2.transport.mode=http"],
            "The server does not speak HTTP: leave spark.hive.server2.transport.mode out.",
        ),
        (["run", "-e", "SELECT 1", "--remote", "localhost"], "--remote is written sc://host:port"),
        (
            ["run", "-e", "SELECT 1", "--remote", "sc://127.0.0.1:1"],
            "There is no Spark Connect server at sc://",
        ),
        (
            ["run", "-e", "SELECT 1", "--master", "spark://nowhere.invalid:7077,127.0.0.1:1"],
            "There is no Spark master at spark://",
        ),
        (
            ["serve", "thrift", "--conf", "spark.master=spark://127.0.0.1:1"],
            "There is no Spark master at spark://",
        ),
    ],
)
def test_wrong_use_is_told_in_a_sentence(csql: Command, words: list[str], told: str) -> None:
    done = csql(*words)
    assert done.code in (1, 2)
    assert told in done.err
    assert "Traceback" not in done.err
    assert "secret" not in done.err
    assert done.out == ""


def test_the_environment_names_a_server(spark: Any, csql: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_REMOTE", "sc://127.0.0.1:1")
    told = "There is no Spark Connect server at sc://127.0.0.1:1: "
    assert told in csql("run", "-e", "SELECT 1").err
    assert csql("run", "-e", "SELECT 1 AS a", "--conf", "spark.master=local[2]").out == "a\n1\n"


def test_debug_tells_where_an_error_comes_from(spark: Any, csql: Command) -> None:
    for words in (["run", "-e", "SELECT * FROM nowhere"], ["explain", "-e", "SELECT * FROM nowhere"]):
        with pytest.raises(Failure) as told:
            csql("--debug", *words)
        assert told.value.__cause__ is not None


def test_a_cause_is_told_where_the_error_only_announces_it() -> None:
    error = RuntimeError("Error while instantiating 'X':\n\nJVM stacktrace:\n\tat X")
    error._cause = ValueError("The value 'abc' is no number.\n\nJVM stacktrace:\n\tat Y")  # type: ignore[attr-defined]
    assert sentence(error) == "The value 'abc' is no number."
    error.details = lambda: "No token provided"  # type: ignore[attr-defined]
    assert sentence(error) == "The server says: No token provided."
    call = '<_MultiThreadedRendezvous of RPC that terminated with:\n\tstatus = StatusCode.UNAVAILABLE\n\tdetails = "refused"\n\tmore = "x"\n>'
    assert sentence(RuntimeError(call)) == "The server does not answer: refused."
    called = "An error occurred while calling None.X.\n: org.apache.spark.SparkException: Not so.\n\tat Y\n"
    assert sentence(RuntimeError(called)) == "Not so."


def test_a_file_that_is_no_text(csql: Command, tmp_path: Path) -> None:
    file = tmp_path / "a.sql"
    file.write_bytes(b"SELECT '\xff'")
    assert csql("run", file) == (1, "", f"Error: {file} is not UTF-8 text: byte 8 does not belong there.\n")


def test_run_prints_plain_lines_where_nobody_looks(spark: Any, csql: Command, tmp_path: Path) -> None:
    file = tmp_path / "script.sql"
    file.write_text(
        """
        CREATE OR REPLACE TEMPORARY VIEW RunTicks AS SELECT * FROM VALUES (1, 'a\tb'), (2, NULL) AS RunTicks(n, s);
        -- the sum so far
        SELECT n, SUM(n) AS total FROM RunTicks [Rows :size] GROUP BY n;
        SELECT s, TRUE AS s FROM RunTicks ORDER BY n;
        """
    )
    done = csql("run", file, "--param", "size=2")
    assert done.code == 0, done.err
    assert done.out == "n\ttotal\n1\t1\n2\t2\ns\ts\na\\tb\ttrue\nNULL\ttrue\n"


def test_run_prints_json_when_asked(spark: Any, csql: Command) -> None:
    sql = "SELECT 1 AS a, NULL AS b, 2.5D AS a, DATE '2026-01-02' AS d, TIMESTAMP '2026-01-02 03:04:05' AS t, 'é' AS e"
    done = csql("run", "--json", "-e", sql)
    assert done.code == 0, done.err
    assert json.loads(done.out) == {
        "a": 1,
        "b": None,
        "a_2": 2.5,
        "d": "2026-01-02",
        "t": "2026-01-02 03:04:05",
        "e": "é",
    }


def test_run_binds_parameters(spark: Any, csql: Command) -> None:
    values = {"i": "3", "f": "1.5", "b": "true", "z": "null", "s": "it's; -- DROP", "q": "'3'"}
    words = [word for name, value in values.items() for word in ("--param", f"{name}={value}")]
    done = csql("run", "--json", "-e", "SELECT :i AS i, :f AS f, :b AS b, :z AS z, :s AS s, :q AS q", *words)
    assert done.code == 0, done.err
    assert json.loads(done.out) == {"i": 3, "f": 1.5, "b": True, "z": None, "s": "it's; -- DROP", "q": "3"}


def test_run_shows_at_most_the_limit(spark: Any, csql: Command) -> None:
    done = csql("run", "-e", "SELECT id FROM range(5)", "--limit", "2")
    assert done == (0, "id\n0\n1\n", "Only the first 2 rows are shown; --limit 0 shows all.\n")


def test_run_ends_at_the_first_statement_that_fails(spark: Any, csql: Command) -> None:
    done = csql("run", "-e", "SELECT 1 AS a;\nSELECT * FROM Pulse [Rows 0];\nSELECT 2")
    assert done.code == 1
    assert done.out == "a\n1\n"
    assert done.err.startswith("Error: -e, statement 2 (line 2): [CSQL_LENGTH_NOT_POSITIVE]")
    assert "at org." not in done.err


def test_validate_tells_places_and_an_exit_code(csql: Command, tmp_path: Path) -> None:
    file = tmp_path / "a.sql"
    file.write_text("SELECT * FROM S [Rows 5];\nSELECT *\nFROM S [Rows 0] [Rows 1];\n")
    done = csql("validate", file)
    assert done.code == 1
    first, line, caret = done.out.splitlines()
    assert first.startswith(f"{file}:3:14: [CSQL_LENGTH_NOT_POSITIVE] The length 0 of Rows is not positive.")
    assert (line, caret) == ("  FROM S [Rows 0] [Rows 1];", "               ^")

    done = csql("validate", "--json", "-e", "SELECT a [Rows 1] FROM t")
    assert done.code == 1
    problem = json.loads(done.out)
    assert (problem["errorClass"], problem["line"], problem["position"]) == ("CSQL_CLAUSE_MISPLACED", 1, 9)

    assert csql("validate", "-e", "SELECT 1; SELECT 2 +") == (0, "-e: 2 statements accepted\n", "")


def test_format_prints_checks_and_rewrites(csql: Command, tmp_path: Path) -> None:
    assert csql("format", "-e", "SELECT a FROM t") == (0, "SELECT a\nFROM t\n", "")
    file = tmp_path / "a.sql"
    file.write_text("SELECT a FROM t")
    assert csql("format", "--check", file) == (1, "", f"{file} would change.\n")
    assert csql("format", "--in-place", file) == (0, "", "")
    assert file.read_text() == "SELECT a\nFROM t\n"
    assert csql("format", "--check", file) == (0, "", "")
    assert "--in-place needs a file." in csql("format", "--in-place", "-e", "SELECT 1").err


def test_format_in_place_keeps_links_and_rights_and_leaves_nothing_else(
    csql: Command, tmp_path: Path
) -> None:
    file = tmp_path / "a.sql"
    file.write_text("SELECT a FROM t\n\n")
    file.chmod(0o640)
    link = tmp_path / "link.sql"
    link.symlink_to("a.sql")
    assert csql("format", "--check", link).code == 1
    assert csql("format", "--in-place", link) == (0, "", "")
    assert link.is_symlink()
    assert file.read_text() == "SELECT a\nFROM t\n"
    assert file.stat().st_mode & 0o777 == 0o640
    file.write_text("SELECT a\nFROM t\n\n")
    assert csql("format", "--check", file).code == 1  # a blank line at the end is a change too
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.sql", "link.sql"]
    missing = tmp_path / "b.sql"
    missing.symlink_to("nowhere.sql")
    assert (
        csql("format", "--in-place", missing).err
        == f"Error: {missing} cannot be read: No such file or directory.\n"
    )


def test_standard_input(csql: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"SELECT 1 FROM S [Rows 0]")))
    done = csql("validate")
    assert done.code == 1
    assert done.out.startswith("standard input:1:23: ")


def test_no_standard_input(csql: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    done = csql("run")
    assert (done.code, done.err.splitlines()[-1]) == (2, "Error: There is no standard input.")


def test_simulate_shows_answers_as_they_fall_due(spark: Any, csql: Command, tmp_path: Path) -> None:
    done = csql("simulate", HEART, "--query", "every-minute")
    assert done.code == 0, done.err
    events = done.out[done.out.index("Pulse  1") :]
    assert events == (
        "Pulse  1  2026-05-01 06:00:10\n"
        "Pulse  2  2026-05-01 06:00:20\n"
        "Pulse  1  2026-05-01 06:00:40\n"
        "Pulse  1  2026-05-01 06:01:15\n"
        "    -> 2026-05-01 06:01:00  3\n"
        "Pulse  2  2026-05-01 06:01:30\n"
        "when time runs on\n"
        "    -> 2026-05-01 06:02:00  2\n"
    )
    wrong = tmp_path / "wrong.slt"
    wrong.write_text("table T (a INT)\n\nfeed T\n1\n\nquery q\nSELECT a, 'x y' AS b FROM T\n----\n2  'x y'\n")
    done = csql("simulate", wrong)
    assert (done.code, done.err) == (1, "q: the file tells another answer.\n")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("nonsense here", "line 1: 'nonsense' begins no block"),
        ("\n\nfeed Nobody\n1", "line 3: nothing called Nobody can be fed"),
        ("stream S", "line 1: write 'stream name (column TYPE, …)'"),
        ("query q x=y\nSELECT 1", "line 1: 'x=y' is no parameter"),
        ("", "There is no query in "),
    ],
)
def test_a_broken_scenario(csql: Command, tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "a.slt"
    file.write_text(text)
    done = csql("simulate", file)
    assert done.code == 1
    assert told in done.err


def test_the_console_script_starts() -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name("spark-csql"), "--version"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "spark-csql, version 0.1.0\n")


def test_doctor_below_a_folder_that_may_not_be_read(
    spark: Any, csql: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allowed = os.access

    def closed(path: str | Path, mode: int) -> bool:
        return (
            tmp_path not in Path(path).parents
            and (tmp_path != path or mode == os.F_OK)
            and allowed(path, mode)
        )

    monkeypatch.setattr(os, "access", closed)
    monkeypatch.setattr(
        Path, "exists", lambda path: path.stat() is not None
    )  # it fails where it may not look
    done = csql("doctor", "--warehouse", tmp_path / "new" / "warehouse")
    assert done.code == 1
    assert f"    {tmp_path} cannot be written: choose another folder" in done.out


def test_doctor(spark: Any, csql: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = csql("doctor", "--warehouse", tmp_path / "new" / "warehouse")
    assert done.code == 0, done.out
    assert "✓ Spark: 4.2" in done.out
    assert "✓ jar: " in done.out

    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    done = csql("doctor")
    assert done.code == 1
    assert "✗ Java: not found\n    Install a JDK 17 or newer" in done.out
