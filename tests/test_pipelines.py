"""Spark's declarative pipelines with our clauses, on a Connect server."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from spark_csql.settings import spark_home

from tests.servers import Served
from tests.test_connect import client

pytestmark = pytest.mark.xdist_group("servers")

SPEC = """
name: pulses
storage: file://{folder}/storage
libraries:
  - glob:
      include: transformations/**
"""

TRANSFORMATIONS = """
CREATE STREAMING TABLE counted AS
  SELECT id, COUNT(*) AS n FROM STREAM(pulses) [Rows 2] GROUP BY id;

CREATE MATERIALIZED VIEW loads AS
  SELECT SUM(load) AS total FROM pulses [Rows 2];
"""


def test_streaming_tables_and_materialized_views(connect_server: Served, tmp_path: Path) -> None:
    (tmp_path / "transformations").mkdir()
    (tmp_path / "transformations" / "pulses.sql").write_text(TRANSFORMATIONS)
    (tmp_path / "spark-pipeline.yml").write_text(SPEC.format(folder=tmp_path))
    spark = client(connect_server)
    spark.sql("CREATE TABLE pulses (id INT, load INT) USING parquet")
    spark.sql(
        "INSERT INTO pulses SELECT /*+ COALESCE(1) */ * FROM VALUES (1, 10), (1, 20), (2, 30) AS t(id, load)"
    )
    done = subprocess.run(
        [
            spark_home() / "bin" / "spark-pipelines",
            "run",
            "--remote",
            f"sc://127.0.0.1:{connect_server.port}",
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"},
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    assert sorted(tuple(row) for row in spark.table("counted").collect()) == [(1, 1), (1, 2), (2, 1)]
    assert [row.total for row in spark.table("loads").collect()] == [10, 30, 50]
    spark.stop()
