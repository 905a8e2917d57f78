"""Settings of Spark for short streaming queries on a local disk, in tests and benchmarks.

Hadoop's own local files start a process for each one created: more than a third of such a query's time.
"""

from __future__ import annotations

import os
from pathlib import Path

# Behind the class path of Spark, not before it: an archive of classes fits only a path that begins as its own.
os.environ["SPARK_DIST_CLASSPATH"] = str(Path(__file__).parent.parent / "jvm/target/test-classes")

QUICK_FILES = {
    "spark.hadoop.fs.file.impl": "org.sparkcsql.QuickLocalFileSystem",
    "spark.hadoop.fs.AbstractFileSystem.file.impl": "org.sparkcsql.QuickLocalFs",
}
