"""What all tests share."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any

import pytest

os.environ["TZ"] = "UTC"  # collect() turns timestamps into the process's local time
time.tzset()


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    spark_csql = pytest.importorskip("spark_csql")
    settings = {
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),  # it remembers streams
        "spark.ui.enabled": "false",
        "spark.log.level": "ERROR",
    }
    session = spark_csql.session(settings, master="local[2]")
    yield session
    session.stop()
