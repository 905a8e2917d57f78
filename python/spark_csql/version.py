"""The one version of the jar and the package, and the Spark they fit."""

__version__ = "0.1.0"
SPARK_LINE = "4.2"
SCALA_LINE = "2.13"
OLDEST_JAVA = 17
OLDEST_PYTHON = (3, 10)
