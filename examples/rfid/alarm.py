"""Raise an alarm when an item passes the door and no authorised person does, five seconds before or after.

    python examples/rfid/alarm.py

Readings of the door arrive as files. A continuous query runs the aggregate item_alarm of examples/aggregates
over them, with ACTIVE EXPIRATION: an item that leaves the window without anybody having come is the alarm.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from pyspark.sql import SparkSession

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import door  # noqa: E402 - a neighbour of this file

AGGREGATE = (HERE.parent / "aggregates" / "item_alarm.sql").read_text(encoding="utf-8")
STREAM = """CREATE STREAM tag_readings (tagid STRING, tagtype STRING, tagtime TIMESTAMP)
ORDER BY tagtime, tagid SOURCE 'json:{folder}?maxFilesPerTrigger=1'"""
QUERY = """CREATE CONTINUOUS QUERY larceny AS
SELECT tagid, tagtime, item_alarm(tagid, tagtype) OVER (RANGE 5 SECONDS PRECEDING ACTIVE EXPIRATION) AS alarm
FROM tag_readings"""
FILES = 6
PATIENCE = 120.0


def run(spark: SparkSession, folder: Path) -> set[str]:
    """The items that raised an alarm; tells of each as soon as it does."""
    seen, stolen = door.readings(carts=40)
    writing = door.files(seen, folder / "door", FILES)
    next(writing)
    spark.sql(AGGREGATE)
    spark.sql(STREAM.format(folder=folder / "door"))
    spark.sql(QUERY)
    alarms: set[str] = set()
    until = time.monotonic() + PATIENCE
    while alarms != stolen and time.monotonic() < until:
        next(writing, None)
        found = {row.tagid for row in spark.sql("SELECT tagid FROM larceny").collect()}
        for tag in sorted(found - alarms):
            print(f"larceny alarm: {tag}")
        alarms = found
        time.sleep(0.5)  # until the next look
    spark.sql("DROP CONTINUOUS QUERY larceny")
    spark.sql("DROP STREAM tag_readings")
    spark.sql("DROP AGGREGATE item_alarm")
    print(f"{len(alarms)} alarms; {len(stolen)} items passed the door alone")
    if alarms != stolen:
        raise SystemExit(f"not the items that passed alone: {sorted(alarms ^ stolen)}")
    return alarms


def main() -> None:
    import spark_csql

    with tempfile.TemporaryDirectory(prefix="rfid-") as scratch:
        settings = {
            "spark.sql.warehouse.dir": str(Path(scratch) / "warehouse"),
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.shuffle.partitions": "2",
            "spark.ui.enabled": "false",
            "spark.log.level": "ERROR",
        }
        spark = spark_csql.session(settings, master="local[2]")
        try:
            run(spark, Path(scratch))
        finally:
            spark.stop()


if __name__ == "__main__":
    main()
