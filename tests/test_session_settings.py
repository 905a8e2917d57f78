"""What configure() writes on a builder. No Java process is started here."""

from __future__ import annotations

from pathlib import Path

import pytest
import spark_csql
from pyspark.sql import SparkSession
from spark_csql import settings
from spark_csql.session import _setting_name

OURS = str(spark_csql.jar_path())


@pytest.fixture(autouse=True)
def _no_java_and_no_outside_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(settings, "java_is_running", lambda: False)
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    for name in ("PYSPARK_SUBMIT_ARGS", "SPARK_REMOTE", "MASTER"):
        monkeypatch.delenv(name, raising=False)


def options_of(builder: SparkSession.Builder) -> dict[str, str]:
    return {
        key: value for key, value in builder._options.items() if key in ("spark.jars", "spark.sql.extensions")
    }


def test_adds_jar_and_extension() -> None:
    builder = spark_csql.configure(SparkSession.builder)
    assert options_of(builder) == {"spark.jars": OURS, "spark.sql.extensions": spark_csql.EXTENSION}


def test_keeps_what_is_configured_and_may_be_called_twice() -> None:
    builder = SparkSession.builder.config("spark.jars", "/a.jar").config("spark.sql.extensions", "x.A, x.B")
    for _ in range(2):
        assert spark_csql.configure(builder) is builder
    assert options_of(builder) == {
        "spark.jars": f"/a.jar,{OURS}",
        "spark.sql.extensions": f"x.A,x.B,{spark_csql.EXTENSION}",
    }


def test_keeps_a_jar_of_ours_that_was_named_by_hand() -> None:
    named = "/opt/spark-csql_2.13-0.1.0.jar"
    builder = spark_csql.configure(SparkSession.builder.config("spark.jars", named))
    assert options_of(builder)["spark.jars"] == named


def test_keeps_the_defaults_file(tmp_path: Path) -> None:
    (tmp_path / "spark-defaults.conf").write_text(
        "# comment\nspark.jars   /d.jar\nspark.sql.extensions=x.D\n"
    )
    builder = spark_csql.configure(SparkSession.builder)
    assert options_of(builder) == {
        "spark.jars": f"/d.jar,{OURS}",
        "spark.sql.extensions": f"x.D,{spark_csql.EXTENSION}",
    }


def test_keeps_submit_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--conf spark.sql.extensions=x.S --jars /s.jar pyspark-shell")
    builder = spark_csql.configure(SparkSession.builder)
    assert options_of(builder) == {
        "spark.jars": f"/s.jar,{OURS}",
        "spark.sql.extensions": f"x.S,{spark_csql.EXTENSION}",
    }


def test_leaves_the_settings_of_a_server_alone() -> None:
    builder = spark_csql.configure(SparkSession.builder.remote("sc://example"))
    assert options_of(builder) == {}


def test_keywords_become_setting_names() -> None:
    assert _setting_name("spark_sql_shuffle_partitions") == "spark.sql.shuffle.partitions"
    with pytest.raises(TypeError, match="does not know 'partitions'"):
        spark_csql.session(partitions=4)
