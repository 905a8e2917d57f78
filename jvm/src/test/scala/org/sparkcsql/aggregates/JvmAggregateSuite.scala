package org.sparkcsql.aggregates

import java.nio.file.Files

import org.apache.spark.sql.Row
import org.apache.spark.sql.streaming.Trigger
import org.scalatest.funsuite.AnyFunSuite
import org.sparkcsql.SharedSession
import org.sparkcsql.storage.AggregateStore

/** The middle of all values, by sorting them. */
class Median extends JvmAggregate {
  private val seen = new java.util.ArrayList[Int]

  override def iterate(arguments: Row, window: JvmWindow, returned: JvmReturned): Unit =
    seen.add(arguments.getInt(0)): Unit

  override def terminate(window: JvmWindow, returned: JvmReturned): Unit = {
    seen.sort(null)
    returned.add(seen.get((seen.size - 1) / 2))
  }
}

/** The sum over a window, by adding and subtracting, and the oldest tuple; -1 lets all older tuples go. */
class DeltaSum extends JvmAggregate {
  private var sum = 0

  override def iterate(arguments: Row, window: JvmWindow, returned: JvmReturned): Unit = {
    sum += arguments.getInt(0)
    if (arguments.getInt(0) == -1) {
      window.delete(_.getInt(0) != -1)
      sum = -1
    }
    returned.add(Row(sum, window.oldest.get.getInt(0), window.rows.length))
  }

  override def expire(arguments: Row, window: JvmWindow, returned: JvmReturned): Unit =
    sum -= arguments.getInt(0)

  override def isBlocking: Boolean = false
}

class Breaking extends JvmAggregate {
  override def iterate(arguments: Row, window: JvmWindow, returned: JvmReturned): Unit =
    throw new ArithmeticException("too much")
}

/** Returns what it is told to: a number, or a text. */
class Answering extends JvmAggregate {
  override def iterate(arguments: Row, window: JvmWindow, returned: JvmReturned): Unit =
    returned.add(if (arguments.getInt(0) > 3) "four" else arguments.getInt(0))

  override def isBlocking: Boolean = false
}

/** Its field cannot be stored. */
class Unstored extends JvmAggregate {
  private val lock = new Object

  override def iterate(arguments: Row, window: JvmWindow, returned: JvmReturned): Unit =
    lock.synchronized(returned.add(arguments.getInt(0)))

  override def isBlocking: Boolean = false
}

class JvmAggregateSuite extends AnyFunSuite {
  private lazy val spark = SharedSession.spark

  private def create(head: String, of: Class[_]): Unit =
    spark.sql(s"CREATE OR REPLACE TEMPORARY $head LANGUAGE JVM '${of.getName}'"): Unit

  private def answer(sql: String): Seq[Seq[Any]] = spark.sql(sql).collect().toSeq.map(_.toSeq)

  private val values =
    "(SELECT * FROM VALUES (1, DATE'2026-01-01'), (5, DATE'2026-01-02'), (3, DATE'2026-01-03'), " +
      "(-1, DATE'2026-01-04'), (4, DATE'2026-01-05') AS t(v, d)) AS t"

  test("a class answers for tables and windows") {
    create("AGGREGATE median(x INT) : INT", classOf[Median])
    assert(answer(s"SELECT median(v) FROM $values") == Seq(Seq(3)))
    assert(
      answer(s"SELECT median(v) OVER (ORDER BY d ROWS 2 PRECEDING) FROM $values") ==
        Seq(1, 1, 3, 3, 3).map(Seq(_)))
  }

  test("a class for windows keeps its state, and sees the tuples") {
    create("WINDOW AGGREGATE delta_sum(x INT) : STRUCT<s: INT, oldest: INT, held: INT>", classOf[DeltaSum])
    val rows = answer(s"SELECT delta_sum(v) OVER (ORDER BY d ROWS 1 PRECEDING) FROM $values")
    assert(rows == Seq(Row(1, 1, 1), Row(6, 1, 2), Row(8, 5, 2), Row(-1, -1, 1), Row(3, -1, 2)).map(Seq(_)))
  }

  test("a class is found again where it was stored") {
    val session = spark.asInstanceOf[org.apache.spark.sql.classic.SparkSession]
    spark.sql(s"CREATE AGGREGATE stored_median(x INT) : INT LANGUAGE JVM '${classOf[Median].getName}'")
    new AggregateCatalog(session).put(
      AggregateKey(Some("default"), "stored_median"),
      AggregateVersions.none)
    new AggregateStore(session).restore()
    assert(answer(s"SELECT stored_median(v) FROM $values") == Seq(Seq(3)))
    spark.sql("DROP AGGREGATE stored_median")
  }

  test("whole numbers become the number that is declared, and nothing else does") {
    create("AGGREGATE answering(x INT) : BIGINT", classOf[Answering])
    assert(answer(s"SELECT answering(v) FROM $values WHERE v IN (1, 3)") == Seq(Seq(1L), Seq(3L)))
    val failure = intercept[Exception](answer(s"SELECT answering(v) FROM $values WHERE v > 3"))
    assert(failure.toString.contains("CSQL_AGGREGATE_FAILED"), failure)
    create("AGGREGATE answering(x INT) : DECIMAL(2, 1)", classOf[Answering])
    assert(answer(s"SELECT answering(v) FROM $values WHERE v = 3").head.head.toString == "3.0")
    create("AGGREGATE answering(x INT) : STRING", classOf[Answering])
    intercept[Exception](answer(s"SELECT answering(v) FROM $values WHERE v = 3"))
  }

  test("a class whose state cannot be stored is named") {
    create("AGGREGATE unstored(x INT) : INT", classOf[Unstored])
    val folder = Files.createTempDirectory("unstored")
    val rows = Seq(1, 9).map(v => s"{\"v\": $v, \"ts\": \"2026-01-01T00:00:0${v}Z\"}").mkString("\n")
    Files.writeString(folder.resolve("rows.json"), rows): Unit
    spark.readStream.schema("v INT, ts TIMESTAMP").json(folder.toString)
      .withWatermark("ts", "0 seconds").createOrReplaceTempView("live")
    val query = spark.sql("SELECT unstored(v) AS r FROM live").writeStream.format("noop")
      .option("checkpointLocation", folder.resolve("checkpoint").toString)
      .trigger(Trigger.AvailableNow()).start()
    val failure = intercept[Exception](query.awaitTermination())
    assert(failure.toString.contains("CSQL_AGGREGATE_CLASS") && failure.toString.contains("java.lang.Object"))
  }

  test("a class that fails is named") {
    create("AGGREGATE breaking(x INT) : INT", classOf[Breaking])
    val failure = intercept[Exception](answer(s"SELECT breaking(v) FROM $values"))
    assert(failure.toString.contains("CSQL_AGGREGATE_FAILED") && failure.toString.contains("too much"))
  }
}
