"""Settings of Spark for short streaming queries on a local disk.

Hadoop's own local files start a process for each one created: more than a third of such a query's time.
"""

from __future__ import annotations

from pathlib import Path

QUICK_FILES = {
    "spark.driver.extraClassPath": str(Path(__file__).parent.parent / "jvm/target/test-classes"),
    "spark.hadoop.fs.file.impl": "org.sparkcsql.QuickLocalFileSystem",
    "spark.hadoop.fs.AbstractFileSystem.file.impl": "org.sparkcsql.QuickLocalFs",
}
