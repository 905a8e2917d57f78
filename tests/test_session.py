"""Real sessions, each in a process of its own: a Java process cannot be configured twice."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pyspark
import pytest
import spark_csql

START = """
import spark_csql
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
builder.config("spark.log.level", "OFF")
"""


def run(*command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def lines(script: str) -> list[str]:
    """What ``script`` prints; it must end well."""
    done = run(sys.executable, "-c", START + textwrap.dedent(script))
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout.splitlines()


def test_configure_starts_a_session_with_the_extension(tmp_path: Path) -> None:
    """Found twice (setting and service file), it is one. It outlives USE, stop() and a second start."""
    assert lines(
        f"""
        spark = spark_csql.configure(spark_csql.configure(builder)).getOrCreate()
        print(spark_csql.probe(spark), spark.conf.get("spark.sql.extensions"))
        print(spark.range(2).selectExpr("csql_version() AS v").collect())
        spark.sql("CREATE DATABASE other LOCATION '{tmp_path}'")
        spark.sql("USE other")
        print(spark_csql.probe(spark))
        spark.stop()
        again = spark_csql.configure(SparkSession.builder.master("local[1]")).getOrCreate()
        print("again", spark_csql.probe(again))
        """
    ) == [
        "0.1.0 org.sparkcsql.CsqlExtensions",
        "[Row(v='0.1.0'), Row(v='0.1.0')]",
        "0.1.0",
        "again 0.1.0",
    ]


def test_spark_running_without_the_extension_is_told_at_once() -> None:
    """After stop(), and with a session running; the way out that the message shows works."""
    assert lines(
        """
        def told(make):
            try:
                make()
            except spark_csql.ExtensionNotLoadedError as error:
                return str(error)
        builder.getOrCreate().stop()
        start = spark_csql.configure(SparkSession.builder.config("spark.log.level", "OFF")).getOrCreate
        message = told(start)
        print("stopped before:", "lives on after stop()" in message)
        print("running:", told(start) == message)
        spark = SparkSession.getActiveSession()
        print("by probe:", told(lambda: spark_csql.probe(spark)) == message)
        way_out = [line.strip() for line in message.splitlines() if line.startswith("    ")]
        exec("; ".join(way_out))
        print("second session:", spark_csql.probe(csql) if way_out else "not offered")
        """
    ) == [
        "stopped before: True",
        "running: True",
        "by probe: True",
        f"second session: {'not offered' if ' ' in str(spark_csql.jar_path()) else '0.1.0'}",
    ]


def test_the_jar_on_the_class_path_is_enough() -> None:
    """The service file loads the extension without spark.sql.extensions."""
    assert lines(
        """
        builder.config("spark.driver.extraClassPath", str(spark_csql.jar_path()))
        print(spark_csql.probe(builder.getOrCreate()))
        """
    ) == ["0.1.0"]


def test_session_for_the_impatient() -> None:
    """Settings in both spellings; nothing of Spark's own talk on the console."""
    done = run(
        sys.executable,
        "-c",
        """if True:
        import spark_csql
        spark = spark_csql.session({"spark.csql.a": "b"}, master="local[1]", spark_sql_shuffle_partitions=3)
        print(spark.conf.get("spark.sql.shuffle.partitions"), spark.conf.get("spark.csql.a"))
        """,
    )
    assert done.stdout.splitlines() == ["3 b"], done.stderr[-4000:]
    assert [line for line in done.stderr.splitlines() if "incubator modules" not in line] == []


def test_spark_connect(monkeypatch: pytest.MonkeyPatch) -> None:
    """A local server gets the extension from the builder; its client only asks."""
    monkeypatch.setenv("SPARK_TESTING", "1")  # any free port
    assert lines(
        """
        spark = spark_csql.configure(SparkSession.builder.remote("local[1]")).getOrCreate()
        print(type(spark).__module__, spark_csql.probe(spark))
        """
    ) == ["pyspark.sql.connect.session 0.1.0"]


def test_under_spark_submit(tmp_path: Path) -> None:
    """Spark runs before the program does: without --jars the program is told, with it all is well."""
    program = tmp_path / "program.py"
    program.write_text(
        f"{START}print('version', spark_csql.probe(spark_csql.configure(builder).getOrCreate()))"
    )
    submit = str(Path(pyspark.__file__).parent / "bin" / "spark-submit")

    told = run(submit, "--conf", "spark.log.level=OFF", str(program))
    assert told.returncode != 0
    assert "Start the program with: spark-submit --jars" in told.stdout + told.stderr

    well = run(submit, "--conf", "spark.log.level=OFF", "--jars", str(spark_csql.jar_path()), str(program))
    assert "version 0.1.0" in well.stdout, well.stderr[-4000:]


def test_the_thin_client(tmp_path: Path) -> None:
    """Its PySpark has no Spark in it: all can be imported, and what needs one says so."""
    shutil.copytree(
        Path(pyspark.__file__).parent,
        tmp_path / "pyspark",
        ignore=shutil.ignore_patterns("core", "jars", "examples", "tests", "__pycache__"),
        copy_function=os.symlink,
    )
    script = f"""if True:
        import importlib, pkgutil, sys
        sys.path.insert(0, {str(tmp_path)!r})
        import spark_csql
        from spark_csql.cli.main import main
        for module in pkgutil.walk_packages(spark_csql.__path__, "spark_csql."):
            importlib.import_module(module.name)
        for words in (["serve", "connect"], ["serve", "thrift"], ["run", "-e", "SELECT 1"]):
            print(main(words))
        """
    done = run(sys.executable, "-c", script)
    assert done.stdout.splitlines() == ["1", "1", "1"], done.stderr[-4000:]
    told = done.stderr.splitlines()
    assert len(told) == 3
    assert all(line.startswith("Error: This PySpark is the thin client of Spark Connect") for line in told)
