package org.sparkcsql.parse

import org.apache.spark.sql.execution.command.ExplainCommand
import org.apache.spark.sql.types._

import org.sparkcsql.plan._

class StatementSuite extends ParserTest {
  private def parse(sql: String) = parser.parsePlan(sql)
  private def stream(sql: String) = parse(sql).asInstanceOf[CreateStream]

  test("CREATE STREAM AS query") {
    val plain = stream("CREATE STREAM s ORDER BY ts, tie AS SELECT a FROM t [Rows 3] WHERE b ;")
    assert(plain.name.parts == Seq("s") && plain.columnNames.isEmpty)
    assert(plain.traits.orderBy.map(_.text) == Seq("ts", "tie"))
    assert(!plain.temporary && !plain.replace && !plain.ifNotExists)
    assert(plain.body.asInstanceOf[StreamBody.Query].text == "SELECT a FROM t [Rows 3] WHERE b")
    assert(ParserTest.marks(plain) == Seq("W[range 3 tuples](t)"))
    assert(
      ParserTest.cut(plain.origin) == "CREATE STREAM s ORDER BY ts, tie AS SELECT a FROM t [Rows 3] WHERE b")
    val full = stream(
      "create or replace temp stream db.`s t` (x, y) slack 0 seconds late into late_s order by current_time\n" +
        "as select 1, 2")
    assert(full.name.parts == Seq("db", "s t") && full.columnNames == Seq("x", "y"))
    assert(full.temporary && full.replace)
    assert(ParserTest.show(full.traits.slack.get) == "0 second" && full.traits.lateInto.get.text == "late_s")
    assert(full.traits.orderBy.map(_.text) == Seq("current_time"))
    assert(stream("CREATE TEMPORARY STREAM IF NOT EXISTS s AS TABLE t").ifNotExists)
    assert(ParserTest.show(stream("CREATE STREAM s ORDER BY n SLACK 5 AS TABLE t").traits.slack.get) == "5")
  }

  test("CREATE STREAM with a source or a format") {
    val source =
      stream("CREATE STREAM s (a INT, ts TIMESTAMP NOT NULL COMMENT 'c') ORDER BY ts SOURCE 'rate'")
    val body = source.body.asInstanceOf[StreamBody.Source]
    assert(body.uri == "rate" && body.columns.map(f => f.name -> f.dataType) == Seq(
      "a" -> IntegerType,
      "ts" -> TimestampType))
    assert(source.columnNames == Seq("a", "ts"))
    val format = stream(
      "CREATE STREAM s (a STRUCT<x: INT, y: ARRAY<DECIMAL(3, 2)>>) USING my.fmt OPTIONS (path '/x', k = 3) SLACK 1 DAY")
    assert(format.body.asInstanceOf[StreamBody.Format].provider == "my.fmt")
    assert(format.body.asInstanceOf[StreamBody.Format].options == Map("path" -> "/x", "k" -> "3"))
    assert(stream("CREATE STREAM s USING rate").body.asInstanceOf[StreamBody.Format].columns.isEmpty)
  }

  test("the small statements") {
    assert(parse("DROP STREAM IF EXISTS a.b") match {
      case DropStream(n, true) => n.text == "a.b"; case _ => false
    })
    assert(parse("drop stream s") match { case DropStream(n, false) => n.text == "s"; case _ => false })
    assert(parse("SHOW STREAMS") == ShowStreams(None))
    assert(parse("SHOW STREAMS LIKE 'p*'") == ShowStreams(Some("p*")))
    assert(parse("DESCRIBE STREAM s") match { case DescribeStream(n) => n.text == "s"; case _ => false })
    assert(parse("DESC STREAM a.s") match { case DescribeStream(n) => n.text == "a.s"; case _ => false })
    assert(parse(
      "EXPLAIN EXTENDED DROP STREAM s").asInstanceOf[ExplainCommand].logicalPlan.isInstanceOf[DropStream])
  }

  test("continuous queries") {
    def create(sql: String) = parse(sql).asInstanceOf[CreateContinuousQuery]
    val full = create(
      "CREATE CONTINUOUS QUERY q CHECKPOINT '/c' INTO a.t TRIGGER 5 SECONDS AS SELECT a FROM s [Rows 2] ;")
    assert(full.name.text == "q" && full.into.get.text == "a.t" && full.checkpoint.contains("/c"))
    assert(full.trigger == QueryTrigger.Every(5000) && !full.ifNotExists)
    assert(full.text == "SELECT a FROM s [Rows 2]")
    assert(ParserTest.marks(full.query) == Seq("W[range 2 tuples](s)"))
    assert(
      full.origin.line.contains(1) && ParserTest.cut(full.origin).startsWith("CREATE CONTINUOUS QUERY q"))
    val short = create("create continuous query if not exists q available now as select 1")
    assert(short.ifNotExists && short.trigger == QueryTrigger.AvailableNow && short.into.isEmpty)
    assert(create("CREATE CONTINUOUS QUERY q AS SELECT 1").trigger == QueryTrigger.AtOnce)
    assert(parse("SHOW CONTINUOUS QUERIES") == ShowContinuousQueries(None))
    assert(parse("SHOW CONTINUOUS QUERIES LIKE 'a*'") == ShowContinuousQueries(Some("a*")))
    def named(sql: String) = parse(sql) match {
      case DescribeContinuousQuery(name) => s"describe ${name.text}"
      case StopContinuousQuery(name) => s"stop ${name.text}"
      case ResumeContinuousQuery(name) => s"resume ${name.text}"
      case DropContinuousQuery(name, ifExists) => s"drop ${name.text} $ifExists"
      case other => other.toString
    }
    assert(named("DESC CONTINUOUS QUERY q") == "describe q")
    assert(named("STOP CONTINUOUS QUERY q") == "stop q")
    assert(named("RESUME CONTINUOUS QUERY `q r`") == "resume q r")
    assert(named("DROP CONTINUOUS QUERY q") == "drop q false")
    assert(named("DROP CONTINUOUS QUERY IF EXISTS q") == "drop q true")
  }

  test("aggregates are known") {
    val window =
      """CREATE OR REPLACE TEMPORARY ALGEBRAIC WINDOW AGGREGATE myavg(Next DOUBLE) : DOUBLE {
        |  TABLE state(tsum DOUBLE, cnt INT);
        |  INITIALIZE: { INSERT INTO state VALUES (Next, 1); }
        |  ITERATE: { UPDATE state SET tsum = tsum + Next, cnt = cnt + 1;
        |             INSERT INTO RETURN SELECT tsum / cnt FROM state WHERE cnt % 2 = 0 }
        |  TERMINATE: { }
        |  EXPIRE: { DELETE FROM state WHERE (SELECT count(*) FROM inwindow) = 0 }
        |}""".stripMargin
    def definition(sql: String): AggregateDefinition = {
      val plan = parse(sql)
      assert(plan.origin.line.contains(1) && ParserTest.cut(plan.origin) == sql.stripSuffix(";"), sql)
      plan.asInstanceOf[CreateAggregate].definition
    }
    val read = definition(window)
    assert(read.algebraic && read.isWindow && read.signature.startsWith("myavg(Next DOUBLE)"))
    def sqlBody(of: AggregateDefinition): AggregateBody.Sql = of.body.asInstanceOf[AggregateBody.Sql]
    val (tables, sections) = (sqlBody(read).tables, sqlBody(read).sections)
    assert(tables.map(_.name.text) == Seq("state") && sections(Section.Iterate).size == 2)
    assert(
      sections(
        Section.Iterate).last.text == "INSERT INTO RETURN SELECT tsum / cnt FROM state WHERE cnt % 2 = 0")
    val shared =
      "CREATE AGGREGATE f(a INT) : (x INT, y INT) { INITIALIZE: ITERATE: { INSERT INTO RETURN VALUES (a, a) } };"
    val same = sqlBody(definition(shared)).sections
    assert(same.keySet == Set(Section.Initialize, Section.Iterate) && !definition(shared).isWindow)
    val conditional =
      "CREATE AGGREGATE f(a INT) : CHAR { ITERATE : { INSERT INTO RETURN VALUES ('x') WHERE a ≤ 1 } }"
    val printed = sqlBody(definition(conditional)).sections
    assert(printed(Section.Iterate).head.condition.exists(_.sql == "(a <= 1)"))
    definition("CREATE AGGREGATE f() : INT LANGUAGE JVM 'a.B'").body match {
      case AggregateBody.External(language, code, _) => assert(language == "JVM" && code == "a.B")
      case other => fail(other.toString)
    }
    definition("CREATE AGGREGATE f(a INT) : ARRAY<INT> LANGUAGE PYTHON AS $$ class F: pass $$").body match {
      case AggregateBody.External(language, code, _) =>
        assert(language == "PYTHON" && code.trim == "class F: pass")
      case other => fail(other.toString)
    }
    assert(parse("DROP TEMPORARY AGGREGATE IF EXISTS f").asInstanceOf[DropAggregate].temporary)
    assert(parse("SHOW AGGREGATES LIKE 'x'") == ShowAggregates(Some("x")))
    assert(parse("DESCRIBE AGGREGATE f").isInstanceOf[DescribeAggregate])
  }

  test("statements inside scripts") {
    val script =
      "BEGIN DECLARE x INT = 1; CREATE STREAM s ORDER BY a AS SELECT a FROM T [Rows 5]; " +
        "IF x = 1 THEN SELECT * FROM S [Rows 2]; DROP STREAM s; END IF; SELECT a[1] FROM T [Now]; END"
    holds(script, "W[range 5 tuples](T)", "W[range 2 tuples](S)", "W[now](T)")
  }

  test("what is wrong is told at its place") {
    val syntax = "CSQL_STATEMENT_SYNTAX"
    refuses("CREATE STREAM", syntax, 1, 13)
    refuses("CREATE STREAM s", syntax, 1, 15)
    refuses("CREATE STREAM s ORDER ts AS SELECT 1", syntax, 1, 16, "ORDER")
    refuses("CREATE STREAM s (a INT) ORDER BY a SORCE 'x'", syntax, 1, 35, "SORCE")
    refuses("CREATE STREAM s (a INT SOURCE 'x'", syntax, 1, 33)
    refuses("CREATE STREAM s (a INT, ts TIMESTAM) SOURCE 'x'", "UNSUPPORTED_DATATYPE", 1, 27)
    refuses("CREATE STREAM s (a, b) SOURCE 'x'", "CSQL_CLAUSE_INCOMPLETE", 1, 16)
    refuses("CREATE STREAM s (a INT) AS SELECT 1", "CSQL_CLAUSE_CONTRADICTORY", 1, 16)
    refuses(
      "CREATE OR REPLACE STREAM IF NOT EXISTS s AS SELECT 1",
      "CSQL_CLAUSE_CONTRADICTORY",
      1,
      25,
      "IF NOT EXISTS")
    refuses(
      "CREATE STREAM s SLACK 1 DAY SLACK 2 DAYS AS SELECT 1",
      "CSQL_CLAUSE_DOUBLED",
      1,
      28,
      "SLACK 2 DAYS")
    refuses("CREATE STREAM s SOURCE 'x' USING y", "CSQL_CLAUSE_DOUBLED", 1, 27, "USING y")
    refuses("CREATE STREAM s SLACK 5 ROWS AS SELECT 1", "CSQL_UNIT_UNKNOWN", 1, 22, "5 ROWS")
    refuses("CREATE STREAM s SLACK -1 DAY AS SELECT 1", "CSQL_LENGTH_NOT_POSITIVE", 1, 22, "-1")
    refuses("CREATE STREAM s SLACK 1 WEEK AS SELECT 1", "CSQL_UNIT_UNKNOWN", 1, 24, "WEEK")
    refuses("CREATE STREAM s AS\nSELECT a FROM ) t", "PARSE_SYNTAX_ERROR", 2, 14)
    refuses("CREATE STREAM s AS\nSELECT a FROM t [Rows 0]", "CSQL_LENGTH_NOT_POSITIVE", 2, 22, "0")
    refuses("CREATE STREAM s AS SELECT a FROM t WHERE x [Rows 2]", "CSQL_CLAUSE_MISPLACED", 1, 43, "[Rows 2]")
    refuses("DROP STREAM s t", syntax, 1, 14, "t")
    refuses("SHOW STREAMS FROM x", syntax, 1, 13, "FROM")
    refuses("SHOW STREAMS LIKE x", syntax, 1, 18, "x")
    refuses("STOP CONTINUOUS QUERY", syntax, 1, 21)
    refuses("CREATE CONTINUOUS QUERY q TRIGGER 5 AS SELECT 1", "CSQL_UNIT_MISSING", 1, 34, "5")
    refuses(
      "CREATE CONTINUOUS QUERY q TRIGGER 5 DAYS AVAILABLE NOW AS SELECT 1",
      "CSQL_CLAUSE_DOUBLED",
      1,
      41)
    refuses("CREATE CONTINUOUS QUERY q INTO a INTO b AS SELECT 1", "CSQL_CLAUSE_DOUBLED", 1, 33, "INTO b")
    refuses("CREATE CONTINUOUS QUERY q CHECKPOINT x AS SELECT 1", syntax, 1, 37, "x")
    refuses("CREATE CONTINUOUS QUERY q AVAILABLE AS SELECT 1", syntax, 1, 36, "AS")
    refuses("CREATE CONTINUOUS QUERY q TRIGGER 5 MICROSECONDS AS SELECT 1", "CSQL_QUERY_TRIGGER", 1, 34)
    refuses("CREATE CONTINUOUS QUERY q AS SELECT FROM a b c d", "PARSE_SYNTAX_ERROR", 1, 43)
    refuses("CREATE AGGREGATE f : INT { ITERATE: { } }", syntax, 1, 19, ":")
    refuses("CREATE AGGREGATE f(a INT) { ITERATE: { } }", syntax, 1, 26, "{")
    refuses("CREATE AGGREGATE f(a INT) : INT { ITERATE { } }", syntax, 1, 42, "{")
    refuses(
      "CREATE AGGREGATE f(a INT) : INT { ITERATE: { DROP TABLE x } }",
      "CSQL_AGGREGATE_STATEMENT",
      1,
      45,
      "DROP")
    refuses("CREATE AGGREGATE f(a) : INT { ITERATE: { } }", syntax, 1, 20, ")")
    refuses("CREATE AGGREGATE f(a INT) : INT { ITERATE: { } ITERATE: { } }", "CSQL_CLAUSE_DOUBLED", 1, 47)
    refuses("CREATE AGGREGATE f(a INT) : INT { TERMINATE: { } }", syntax, 1, 49, "}")
    refuses("CREATE AGGREGATE f(a INT) : INT { ITERATE: { INSERT INTO r VALUES (1 } }", syntax, 1, 69, "}")
    refuses("BEGIN\n CREATE STREAM s;\nEND", syntax, 2, 16, ";")
  }

  test("Spark's own statements of the same words stay Spark's") {
    Seq(
      "DESCRIBE stream",
      "DESC aggregate",
      "DESCRIBE stream.s",
      "DESC stream PARTITION (a = 1)",
      "DESCRIBE continuous query",
      "CREATE TABLE stream (a INT) USING parquet",
      "DROP TABLE stream",
      "CREATE STREAMING TABLE t AS SELECT * FROM STREAM s",
      "CLEAR CACHE"
    ).foreach(sql =>
      assert(ParserTest.marks(parse(sql)).isEmpty && !parse(sql).isInstanceOf[DescribeAggregate]))
    assert(!parse("CLEAR CACHE").isInstanceOf[CreateStream])
    refuses("SHOW streams FUNCTIONS", "INVALID_SQL_SYNTAX.SHOW_FUNCTIONS_INVALID_SCOPE", 1, 5)
    spark.sql("CREATE TEMP VIEW stream AS SELECT 1 AS s")
    try assert(!parse("DESCRIBE stream s").isInstanceOf[DescribeStream])
    finally spark.sql("DROP VIEW stream")
  }
}
