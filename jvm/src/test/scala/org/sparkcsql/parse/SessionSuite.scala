package org.sparkcsql.parse

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.parser.{NamedParameterContext, ParseException}
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}
import org.apache.spark.sql.catalyst.plans.logical.{CompoundBody, CreateView, LogicalPlan, SingleStatement}

import org.sparkcsql.plan.{CreateStream, ShowStreams, StreamBody, WindowedRelation}

/** The parser inside a session: stored texts, parameters, scripts, and every door by which Spark calls it. */
class SessionSuite extends ParserTest {
  private lazy val table: String = {
    spark.sql("CREATE OR REPLACE TEMP VIEW T AS SELECT id AS a, id % 3 AS k, timestamp_seconds(id) AS ts FROM range(20)")
    spark.sql("DROP TABLE IF EXISTS T1")
    spark.sql("CREATE TABLE T1 USING parquet AS SELECT * FROM T")
    "T1"
  }

  private def logical(sql: String, args: Map[String, Any] = Map.empty): LogicalPlan =
    parser.parsePlanWithParameters(sql, NamedParameterContext(args.map { case (k, v) => k -> Literal(v) }))
  private def marks(plan: LogicalPlan): Seq[String] = ParserTest.marks(plan)

  /** The text Spark stores for a view keeps the clause, and is parsed by us again. */
  private def storedText(name: String): String = spark.sessionState.catalog
    .getTempView(name)
    .map(_.desc)
    .getOrElse(spark.sessionState.catalog.getTableMetadata(
      spark.sessionState.sqlParser.parseTableIdentifier(name)))
    .viewText
    .get

  test("views keep the clause in their text") {
    spark.sql(s"CREATE OR REPLACE TEMP VIEW v1 AS SELECT a FROM $table [Rows 3]")
    assert(storedText("v1") == "SELECT a FROM T1 [Rows 3]")
    spark.sql(s"CREATE OR REPLACE VIEW v2 AS SELECT a FROM $table [Rows 3] x")
    assert(storedText("v2") == "SELECT a FROM T1 [Rows 3] x")
    val texts = parser.parsePlan("CREATE VIEW v3 AS ISTREAM (SELECT a FROM T1 [Now])").collect {
      case v: CreateView => v.originalText
    }
    assert(texts == Seq(Some("ISTREAM (SELECT a FROM T1 [Now])")))
    spark.sql(s"CREATE OR REPLACE VIEW v4 AS SELECT a FROM $table [Rows :n]", Map("n" -> 3L))
    assert(storedText("v4") == "SELECT a FROM T1 [Rows 3]")
    assert(spark.sql("SHOW CREATE TABLE v2").head().getString(0).contains("[Rows 3]"))
    Seq("v1", "v2", "v4").foreach(v => assert(marks(parser.parseQuery(storedText(v))).size == 1))
    assert(spark.sql("SELECT * FROM v1").count() == 20)
    assert(spark.sql("SELECT * FROM v2").count() == 20)
  }

  test("a place in a stored text names the view") {
    val view = Origin(objectType = Some("VIEW"), objectName = Some("v5"))
    val plan = CurrentOrigin.withOrigin(view)(parser.parseQuery("SELECT a FROM T1 [Rows 3]"))
    val at = plan.collectFirst { case w: WindowedRelation => w.clause.at }.get
    assert(at.context.summary.startsWith("== SQL of VIEW v5 (line 1, position 18) =="))
    val error = intercept[ParseException](
      CurrentOrigin.withOrigin(view)(parser.parseQuery("SELECT a FROM T1 [Rows 0]")))
    assert(error.getQueryContext.head.objectName == "v5")
  }

  test("statements around a query") {
    spark.sql("DROP TABLE IF EXISTS T2")
    spark.sql(s"CREATE TABLE T2 USING parquet AS SELECT a FROM $table [Rows 4]")
    spark.sql(s"INSERT INTO T2 SELECT a FROM $table x [Rows 4]")
    assert(spark.sql("SELECT * FROM T2").count() == 40)
    spark.sql(s"CACHE TABLE ct AS SELECT a FROM $table [Rows 4]")
    assert(spark.sql("SELECT * FROM ct").count() == 20)
    assert(spark.sql(s"DESCRIBE QUERY SELECT a FROM $table [Rows 4]").count() == 1)
    assert(spark.sql(
      s"EXPLAIN EXTENDED SELECT a FROM $table [Rows 4]").head().getString(0).contains("WindowedRelation"))
    assert(spark.sql(s"EXECUTE IMMEDIATE 'SELECT a FROM $table [Rows 4] WHERE a < ?' USING 5").count() == 5)
    assert(spark.sql(
      s"EXECUTE IMMEDIATE 'SELECT a FROM $table [Rows :n] WHERE a < :m' USING 7 AS n, 5 AS m").count() == 5)
    spark.sql(
      s"CREATE OR REPLACE TEMPORARY FUNCTION tf() RETURNS TABLE(a BIGINT) RETURN SELECT a FROM $table [Rows 4]")
    assert(spark.sql("SELECT * FROM tf()").count() == 20)
  }

  test("named and positional parameters, also inside clauses") {
    val named = logical(
      s"SELECT a, :x AS x FROM $table [Range :n Minutes On ts] WHERE a < :m",
      Map("n" -> 10, "m" -> 5, "x" -> "it's"))
    assert(marks(named) == Seq("W[range 10 minute; on ts](T1)"))
    val positional =
      spark.sql(s"SELECT a, ? AS x FROM $table [Rows ?] WHERE a < ?", Array[Any]("s", 10.toShort, 5))
    assert(marks(positional.queryExecution.logical) == Seq("W[range 10 tuples](T1)"))
    assert(positional.collect().map(_.getString(1)).toSet == Set("s"))
    val instants = logical(
      s"SELECT a FROM $table [Band From :from Until :until On ts, Frequency :n Seconds Origin :from]",
      Map(
        "from" -> java.sql.Timestamp.valueOf("2026-01-01 00:00:00"),
        "until" -> java.time.LocalDate.of(2026, 2, 1),
        "n" -> 5)
    )
    assert(
      marks(instants) == Seq(
        "W[from TIMESTAMP '2026-01-01 00:00:00' until DATE '2026-02-01'; " +
          "frequency 5 second origin TIMESTAMP '2026-01-01 00:00:00'; on ts](T1)"))
    val twice =
      logical("SELECT a [Frequency :n Tuples] FROM IDENTIFIER(:t) [Rows :n] AS z", Map("t" -> "T1", "n" -> 3))
    assert(marks(twice) == Seq("F[3 tuples]", "W[range 3 tuples](as z)"))
    assert(marks(logical(
      s"SELECT avg(a) OVER (ORDER BY ts RANGE :n SECONDS PRECEDING SLIDE :m SECONDS) FROM $table",
      Map("n" -> 3, "m" -> 2))) == Seq("T[slide 2 second]"))
  }

  test("parameters of our statements") {
    val stream = logical(
      "CREATE STREAM s (a INT) ORDER BY a SLACK :n SECONDS USING f OPTIONS (k :v, path = :p)",
      Map("n" -> 5L, "v" -> "x", "p" -> "/y")).asInstanceOf[CreateStream]
    assert(ParserTest.show(stream.traits.slack.get) == "5 second")
    assert(stream.body.asInstanceOf[StreamBody.Format].options == Map("k" -> "x", "path" -> "/y"))
    val query = logical(
      "CREATE STREAM s SLACK :n DAYS AS SELECT :x AS x FROM T1 [Rows :n] WHERE a = :x",
      Map("n" -> 5, "x" -> "it's")).asInstanceOf[CreateStream]
    assert(query.body.asInstanceOf[
      StreamBody.Query].text == "SELECT 'it\\'s' AS x FROM T1 [Rows 5] WHERE a = 'it\\'s'")
    assert(marks(query) == Seq("W[range 5 tuples](T1)"))
    assert(logical("SHOW STREAMS LIKE :p", Map("p" -> "a*")) == ShowStreams(Some("a*")))
    val error =
      intercept[ParseException](logical("CREATE STREAM s SLACK :n DAYS AS TABLE t", Map("n" -> "x")))
    assert(error.getCondition == "CSQL_LENGTH_PARAMETER" && error.startPosition.contains(22))
  }

  test("parameters without a good value are refused at their marker") {
    def refusal(sql: String, args: Map[String, Any]): SparkThrowable =
      intercept[AnalysisException](spark.sql(sql, args))
    def check(value: Any): Unit = {
      val sql = s"SELECT a, :s\nFROM $table [Rows :n]"
      val error = refusal(
        sql,
        Map("s" -> "a long text that moves everything", "n" -> value)).asInstanceOf[ParseException]
      assert(error.getCondition == "CSQL_LENGTH_PARAMETER", s"$value")
      assert(error.line.contains(2) && error.startPosition.contains(14), s"$value")
      assert(
        error.getQueryContext.head.fragment == ":n" && error.getMessageParameters.get("parameter") == ":n")
    }
    Seq[Any](null, 0, -5, 1.5, "5", true, BigDecimal(5), Long.MinValue, Array(1)).foreach(check)
    val unbound = refusal(s"SELECT a FROM $table [Rows :n]\nWHERE a = :zz", Map("n" -> 3))
    assert(unbound.getCondition == "UNBOUND_SQL_PARAMETER" && unbound.getQueryContext.head.fragment == ":zz")
    assert(unbound.getQueryContext.head.summary.contains("WHERE a = :zz"))
    val inside = refusal(s"SELECT a FROM $table [Rows :n] WHERE a = :zz", Map("zz" -> 3))
    assert(inside.getCondition == "UNBOUND_SQL_PARAMETER" && inside.getQueryContext.head.fragment == ":n")
    val none = intercept[AnalysisException](spark.sql(s"SELECT a FROM $table [Rows :n]"))
    assert(none.getCondition == "UNBOUND_SQL_PARAMETER" && none.getQueryContext.head.fragment == ":n")
    val mixed = intercept[AnalysisException](spark.sql(s"SELECT :a FROM $table [Rows ?]", Map("a" -> 1)))
    assert(mixed.getCondition == "INVALID_QUERY_MIXED_QUERY_PARAMETERS")
  }

  test("places of nodes are in the text the user wrote, also behind parameters and outside the first plane") {
    val sql = s"SELECT '\uD83D\uDE00', :s FROM $table\n [Range :n Minutes On `ts`, Frequency 2 Minutes] AS x"
    val window = logical(sql, Map("s" -> "a long text that moves everything", "n" -> 12345)).collectFirst {
      case w: WindowedRelation => w
    }.get
    def at(origin: org.apache.spark.sql.catalyst.trees.Origin) =
      (origin.line.get, origin.startPosition.get, ParserTest.cut(origin))
    assert(at(window.origin) == ((1, 20, s"$table\n [Range :n Minutes On `ts`, Frequency 2 Minutes] AS x")))
    assert(at(window.clause.at) == ((2, 1, "[Range :n Minutes On `ts`, Frequency 2 Minutes]")))
    assert(at(window.clause.shape.get.at) == ((2, 2, "Range :n Minutes")))
    assert(at(window.clause.on.get.at) == ((2, 22, "`ts`")))
    assert(at(window.clause.frequency.get.at) == ((2, 28, "Frequency 2 Minutes")))
    assert(at(window.clause.frequency.get.length.at) == ((2, 38, "2 Minutes")))
  }

  test("an instant has its own place") {
    val sql = "SELECT *\nFROM S [Landmark From TIMESTAMP '2026-01-01']"
    val clause = parser.parsePlan(sql).collectFirst { case w: WindowedRelation => w.clause }.get
    clause.shape.get match {
      case org.sparkcsql.plan.WindowShape.Between(Some(from), None, _) =>
        assert(ParserTest.cut(from.at) == "TIMESTAMP '2026-01-01'" && from.at.line.contains(2))
        assert(from.value.origin.startIndex.contains(31) && ParserTest.cut(
          from.value.origin) == "TIMESTAMP '2026-01-01'")
      case other => fail(other.toString)
    }
  }

  test("errors of Spark's analysis keep their context") {
    val error = intercept[AnalysisException](
      spark.sql(s"SELECT a,\n nosuch FROM $table [Rows 3] WHERE a > :p", Map("p" -> 123456)))
    assert(error.getMessage.contains("line 2 pos 1"))
    assert(error.getQueryContext.head.fragment == "nosuch")
  }

  test("variables are substituted first") {
    spark.sql("SET myclause=[Rows 4]")
    assert(marks(logical(s"SELECT a FROM $table $${myclause}")) == Seq("W[range 4 tuples](T1)"))
  }

  test("scripts") {
    val script =
      s"BEGIN DECLARE n INT = 0; FOR r AS SELECT a FROM $table [Rows 2] DO SET n = n + 1; END FOR; " +
        s"SELECT n AS n FROM $table [Rows 3] LIMIT 1; END"
    assert(spark.sql(script).head().getInt(0) == 20)
    val body = parser.parsePlan("BEGIN SELECT 1; SELECT a FROM T1 [Rows 2]; END").asInstanceOf[CompoundBody]
    assert(body.collection.collect { case s: SingleStatement => s.getText } == Seq(
      "SELECT 1",
      "SELECT a FROM T1 [Rows 2]"))
  }

  test("expressions of the DataFrame API") {
    val window = "sum(a) OVER (PARTITION BY k ORDER BY a ROWS 2 PRECEDING SLIDE 5 ROWS) AS s"
    assert(parser.parseExpression(window).collect { case frame: org.sparkcsql.plan.OwnFrame =>
      frame
    }.size == 1)
    val error = intercept[ParseException](spark.table(table).selectExpr("a [Frequency 1 Minute]"))
    assert(error.getCondition == "CSQL_CLAUSE_MISPLACED" && error.startPosition.contains(2))
  }

  test("settings that change the grammar") {
    def configured(settings: (String, String)*)(body: => Unit): Unit = {
      settings.foreach { case (key, value) => spark.conf.set(key, value) }
      try body
      finally settings.foreach { case (key, _) => spark.conf.unset(key) }
    }
    configured(
      "spark.sql.ansi.enabled" -> "true",
      "spark.sql.ansi.enforceReservedKeywords" -> "true",
      "spark.sql.ansi.doubleQuotedIdentifiers" -> "true") {
      holds(
        "SELECT \"a\" [Frequency 1 Minute] FROM \"S\" [Partition By \"x \"\"y\" Rows 3 On \"q\".z] AS \"q\"",
        "F[1 minute]",
        "W[range 3 tuples by x \"y; on q.z](as q)"
      )
      refuses("SELECT a FROM S [Landmark From \"2026\"]", "CSQL_INSTANT_INVALID", 1, 31)
    }
    configured("spark.sql.legacy.parseQueryWithoutEof" -> "true") {
      assert(marks(parser.parseQuery("SELECT a FROM S [Rows 2]")) == Seq("W[range 2 tuples](S)"))
    }
    configured("spark.sql.legacy.setopsPrecedence.enabled" -> "true") {
      holds("SELECT a FROM S [Rows 2] UNION SELECT 1 INTERSECT SELECT 2", "W[range 2 tuples](S)")
    }
  }

  test("the extension configured twice wraps the parser once") {
    val twice = CsqlParser.wrap(spark, parser)
    assert(twice eq parser)
  }

  test("many threads at once") {
    val wrong = new java.util.concurrent.atomic.AtomicInteger
    val threads = (1 to 8).map { i =>
      new Thread(() =>
        (1 to 100).foreach { j =>
          val found = scala.util.Try(marks(parser.parsePlan(s"SELECT a[$j] FROM S$i [Rows $j] x")))
          if (found.toOption != Some(Seq(s"W[range $j tuples](as x)"))) wrong.incrementAndGet()
        })
    }
    threads.foreach(_.start())
    threads.foreach(_.join())
    assert(wrong.get == 0)
  }
}
