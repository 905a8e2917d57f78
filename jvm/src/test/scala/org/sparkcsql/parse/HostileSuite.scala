package org.sparkcsql.parse

import scala.util.Try

import org.apache.spark.sql.catalyst.parser.{ParseException, ParserInterface}
import org.apache.spark.sql.execution.SparkSqlParser

/** Texts made to hurt: a session answers them, in a time that is bounded by what stock Spark needs. */
class HostileSuite extends ParserTest {
  private lazy val stock: ParserInterface = new SparkSqlParser

  private def seconds(action: => Any): Double = {
    val start = System.nanoTime()
    Try(action).failed.foreach { case _: StackOverflowError => fail("stack overflow"); case _ => }
    (System.nanoTime() - start) / 1e9
  }

  private def quiet(action: => Any): Unit =
    try action
    catch { case _: ParseException | _: StackOverflowError => }

  private def stockSeconds(sql: String): Double = {
    val start = System.nanoTime()
    quiet(stock.parsePlan(sql))
    (System.nanoTime() - start) / 1e9
  }

  /** Our own part of the work alone: reading the tokens and finding what is ours. */
  private def findingSeconds(sql: String): Double =
    (1 to 3).map(_ => seconds(EditedText(SourceText(sql), _ => false))).min

  private val deep = 100000

  test("nesting without end is a parse error") {
    val texts = Seq(
      "SELECT " + "(" * deep + "1" + ")" * deep,
      "SELECT a FROM S [Rows 2] WHERE " + "(" * deep + "1" + ")" * deep,
      "SELECT * FROM " + "(" * deep + "S [Rows 2]" + ")" * deep,
      "SELECT CAST(1 AS " + "ARRAY<" * deep + "INT" + ">" * deep + ") FROM S [Rows 2]",
      "SELECT " + "CASE WHEN " * deep + "1 FROM S [Rows 2]",
      "SELECT " + "CASE " * deep + "1 FROM S [Rows 2]",
      "SELECT a FROM S [Rows 2] WHERE " + "NOT " * deep + "a",
      "SELECT " + "- " * deep + "1 FROM S [Rows 2]",
      "SELECT " + "NOT " * deep + "1",
      "SELECT a" + "[a" * deep + "]" * deep + " FROM S [Rows 2]",
      "SELECT * FROM " + "(SELECT * FROM " * 9000 + "S [Rows 2]" + ")" * 9000,
      "SELECT * FROM " + "(SELECT * FROM " * 9000 + "S" + ")" * 9000
    )
    texts.foreach { sql =>
      val error = withClue(sql.take(60))(intercept[ParseException](parser.parsePlan(sql)))
      assert(Set("CSQL_TEXT_TOO_DEEP", "FAILED_TO_PARSE_TOO_COMPLEX")(error.getCondition), sql.take(60))
      assert(error.getCondition != "CSQL_TEXT_TOO_DEEP" || error.getMessage.length < 1000)
    }
  }

  test("long texts that are not deep are not refused") {
    val strings = "SELECT '" + "(" * 20000 + "', a[1] -- " + "[" * 20000
    assert(outcomeOf(parser, strings) == outcomeOf(stock, strings))
    val columns = "SELECT " + "case, (b), c[1], d < 1, " * 6000 + "e FROM t"
    assert(outcomeOf(parser, columns) == outcomeOf(stock, columns))
  }

  private def outcomeOf(p: ParserInterface, sql: String): String =
    Try(p.parsePlan(sql)).fold(_.toString, _.treeString.replaceAll("#\\d+", ""))

  test("what stock Spark can parse, long chains, we can too") {
    val chain = (1 to 3000).map(i => s"a = $i").mkString(" OR ")
    assert(stock.parsePlan(s"SELECT a FROM S WHERE $chain") != null)
    holds(s"SELECT a FROM S [Rows 2] WHERE $chain", "W[range 2 tuples](S)")
    val relations = (1 to 300).map(i => s"S$i [Rows $i]").mkString(", ")
    assert(ParserTest.marks(parser.parsePlan(s"SELECT * FROM $relations")).size == 300)
  }

  test("finding is linear") {
    val size = 1000000
    def text(unit: String, head: String = "SELECT a FROM S ") = head + unit * (size / unit.length)
    Seq(
      text("["),
      text("[["),
      text("[Range "),
      text("[Range [Range "),
      text("[Rows 5] "),
      text("[Rows 0] "),
      text("[Now], S "),
      text("[Partition By a, "),
      text("a, ", "SELECT a FROM S [Partition By "),
      text("PRECEDING SLIDE "),
      text("ISTREAM("),
      text("ISTREAM(("),
      text("CREATE STREAM s; ", "BEGIN "),
      text("{", "CREATE AGGREGATE f() : INT "),
      text("(", "CREATE STREAM s "),
      text("x] ")
    ).foreach { sql =>
      val half = findingSeconds(sql.take(sql.length / 2))
      val whole = findingSeconds(sql)
      info(f"${sql.take(40)}%-40s $whole%.2f s, half of it $half%.2f s")
      assert(whole < 3.5 * math.max(half, 0.25), sql.take(40)) // 4 would be quadratic
    }
  }

  test("a megabyte is refused about as fast as by stock Spark") {
    val size = 200000
    Seq("[Range ", "[Rows 5] ", "[Now], S ", "[[", "SLIDE ").foreach { unit =>
      val sql = "SELECT a FROM S " + unit * (size / unit.length)
      val theirs = stockSeconds(sql)
      val ours = seconds(parser.parsePlan(sql))
      info(f"$unit%-10s ours $ours%.2f s, stock $theirs%.2f s")
    }
  }

  test("overhead") {
    val plain = Seq(
      "SELECT a, b, count(*) FROM t JOIN u ON t.a = u.a WHERE t.c > 5 AND u.d LIKE 'x%' GROUP BY a, b ORDER BY 3 LIMIT 10",
      "SELECT sum(x) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 3 PRECEDING AND CURRENT ROW), m['k'][1] FROM t",
      "INSERT INTO t SELECT * FROM (SELECT a, b FROM s WHERE a IN (1, 2, 3)) x",
      "CREATE TABLE t (a INT, b STRING) USING parquet PARTITIONED BY (b)"
    )
    val ours = Seq(
      "SELECT Id, COUNT(*) FROM Pulse [Range 10 Minutes, Frequency 1 Minute] WHERE a > 3 GROUP BY Id" ->
        "SELECT Id, COUNT(*) FROM Pulse WHERE a > 3 GROUP BY Id")
    def time(run: () => Unit): Double = {
      val start = System.nanoTime()
      (1 to 20).foreach(_ => run())
      (System.nanoTime() - start) / 20e3
    }
    /** The best of many short rounds that take turns: both sides see the same machine, others' work drops out. */
    def best(a: () => Unit, b: () => Unit): (Double, Double) = {
      val rounds = (1 to 150).map(_ => (time(a), time(b)))
      (rounds.map(_._1).min, rounds.map(_._2).min)
    }
    val (with_, without) =
      best(() => plain.foreach(parser.parsePlan), () => plain.foreach(stock.parsePlan))
    info(
      f"plain statements: $with_%.1f µs with the extension, $without%.1f µs without: ratio ${with_ / without}%.3f")
    ours.foreach { case (clause, bare) =>
      val (own, theirs) = best(() => parser.parsePlan(clause), () => stock.parsePlan(bare))
      info(f"a clause: $own%.1f µs, the same query without it on stock Spark $theirs%.1f µs")
    }
    val gate = best(() => plain.foreach(Gate.mayHoldOurs), () => ())
    info(f"the gate alone: ${gate._1}%.2f µs for ${plain.map(_.length).sum} characters")
  }
}
