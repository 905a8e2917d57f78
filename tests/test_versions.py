"""One version everywhere, and words for versions that do not fit."""

from __future__ import annotations

from pathlib import Path

import pytest
import spark_csql
from spark_csql import fit

from tools import check_versions


def test_one_version_everywhere() -> None:
    assert check_versions.disagreements() == []


def test_the_jar_has_the_version_of_the_package() -> None:
    assert spark_csql.jar_path().name == f"spark-csql_2.13-{spark_csql.__version__}.jar"


@pytest.mark.parametrize("version", ["4.2.0", "4.2.1"])
def test_every_spark_of_the_line_fits(version: str) -> None:
    fit.require_spark(version, "this session runs")


@pytest.mark.parametrize("version", ["3.5.3", "4.1.0", "4.3.0", "4.20.0"])
def test_another_spark_is_refused_with_both_versions(version: str) -> None:
    with pytest.raises(
        spark_csql.VersionMismatchError, match=rf"built for Spark 4\.2 .*runs Spark {version}"
    ):
        fit.require_spark(version, "this session runs")


def test_an_old_python_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fit.sys, "version_info", (3, 9, 1))
    with pytest.raises(spark_csql.VersionMismatchError, match=r"needs Python 3\.10"):
        fit.require_python()


class _FakeSession:
    """As much of a session as probe() asks for."""

    def __init__(self, spark: str, csql: str | None) -> None:
        self.version, self._csql, self.catalog = spark, csql, self

    def functionExists(self, name: str) -> bool:
        return name == "csql_version" and self._csql is not None

    def sql(self, _query: str) -> _FakeSession:
        return self

    def collect(self) -> list[tuple[str | None]]:
        return [(self._csql,)]


def test_probe_returns_the_version() -> None:
    assert spark_csql.probe(_FakeSession("4.2.1", "0.1.7")) == "0.1.7"


def test_a_jar_of_another_line_is_refused_with_both_versions() -> None:
    with pytest.raises(spark_csql.VersionMismatchError, match=r"0\.1\.0, but .* 0\.9\.0"):
        spark_csql.probe(_FakeSession("4.2.0", "0.9.0"))


def test_an_old_java_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019-01-15' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    reason = fit.explain_no_start(RuntimeError("[JAVA_GATEWAY_EXITED] …"))
    assert "needs Java 17 or newer" in str(reason)
    assert "is Java 11" in str(reason)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nothing"))
    assert "was not found" in str(fit.explain_no_start(RuntimeError("[JAVA_GATEWAY_EXITED] …")))
