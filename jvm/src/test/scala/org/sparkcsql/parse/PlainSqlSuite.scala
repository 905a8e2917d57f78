package org.sparkcsql.parse

import scala.collection.mutable
import scala.util.Try

import org.antlr.v4.runtime.{CommonTokenStream, ParserRuleContext}
import org.antlr.v4.runtime.tree.ParseTree

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.parser._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkSqlParser
import org.apache.spark.sql.internal.SQLConf

/** Plain Spark SQL parses exactly as it does without the extension: plans, places and errors. */
class PlainSqlSuite extends ParserTest {
  private lazy val stock: ParserInterface = new SparkSqlParser

  /** Everything a parse can show: the plan and the origin of each node, or the error. */
  private def outcome(parse: => AnyRef): String = Try(parse).fold(
    {
      case e: SparkThrowable with Throwable =>
        s"${e.getClass.getName} ${e.getCondition}\n${normal(e.getMessage)}"
      case e => s"${e.getClass.getName}\n${normal(String.valueOf(e.getMessage))}"
    },
    {
      case plan: LogicalPlan => normal(plan.treeString) + places(plan).mkString("\n")
      case other => normal(String.valueOf(other))
    }
  )

  /** Without the ids that every parse makes anew. */
  private def normal(text: String): String =
    text.replaceAll("#\\d+L?|@[0-9a-f]+|plan_id=\\d+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "#")

  private def places(plan: LogicalPlan): Seq[String] = {
    val own = plan.origin +: plan.expressions.flatMap(_.collect { case e => e.origin })
    own.map(o => s"${o.line} ${o.startPosition} ${o.startIndex} ${o.stopIndex} ${o.sqlText.map(_.length)}") ++
      plan.children.flatMap(places)
  }

  private def same(sql: String): Boolean = {
    val (expected, actual) = (outcome(stock.parsePlan(sql)), outcome(parser.parsePlan(sql)))
    if (expected != actual) info(s"differs: $sql\n--- stock\n$expected\n--- ours\n$actual")
    expected == actual
  }

  /** `DESCRIBE stream s` is ours where there is no table called stream: the one statement both languages have. */
  private def isShared(sql: String): Boolean =
    sql.matches("(?is)(EXPLAIN \\w+ )?DESC(RIBE)? (STREAM|AGGREGATE) .*")

  /** Names of the grammar's alternatives in a parse tree, as ANTLR labels them. */
  private def alternatives(sql: String): Set[String] = {
    val lexer = new SqlBaseLexer(CsqlParserAccess.charStream(sql))
    val tokens = new CommonTokenStream(lexer)
    val parser = new SqlBaseParser(tokens)
    AbstractParser.configureParser(parser, sql, tokens, SQLConf.get)
    lexer.removeErrorListeners()
    Try(AbstractParser.executeWithTwoStageStrategy(
      parser,
      tokens,
      _.compoundOrSingleStatement())).toOption match {
      case None => Set.empty
      case Some(tree) =>
        val found = mutable.Set.empty[String]
        val open = mutable.Stack[ParseTree](tree)
        while (open.nonEmpty) {
          val node = open.pop()
          if (node.isInstanceOf[ParserRuleContext]) found += node.getClass.getSimpleName
          (0 until node.getChildCount).foreach(i => open.push(node.getChild(i)))
        }
        found.toSet
    }
  }

  /** The labelled alternatives of a rule. */
  private def labelled(rule: String): Set[String] = {
    val parent = s"${rule.capitalize}Context"
    classOf[SqlBaseParser].getDeclaredClasses.toSet
      .filter(c => c.getSuperclass.getSimpleName == parent)
      .map(_.getSimpleName)
  }

  test("sentences from every corner of Spark's grammar") {
    val sentences = new GrammarSentences(seed = 42)
    val statements = mutable.LinkedHashSet.empty[String]
    val visited = mutable.Set.empty[String]
    val rules = Seq(
      "" -> "compoundOrSingleStatement",
      "" -> "statement",
      "" -> "statement",
      "" -> "query",
      "" -> "queryTerm",
      "" -> "querySpecification",
      "" -> "dmlStatementNoWith",
      "" -> "setResetStatement",
      "SELECT " -> "namedExpressionSeq",
      "SELECT " -> "booleanExpression",
      "SELECT " -> "valueExpression",
      "SELECT " -> "constant",
      "SELECT sum(a) OVER " -> "windowSpec",
      "SELECT * FROM " -> "relation",
      "SELECT * FROM t " -> "queryOrganization"
    )
    var i = 0
    var parsed = 0
    while (statements.size < 4200) {
      val (prefix, rule) = rules(i % rules.size)
      val sql = prefix + sentences.next(rule)
      i += 1
      if (!isShared(sql) && statements.add(sql)) {
        val found = alternatives(sql)
        if (found.nonEmpty) parsed += 1
        visited ++= found
      }
    }
    val different = statements.filterNot(same)
    info(
      s"${statements.size} statements, $parsed of them sentences, ${visited.size} kinds of parse-tree nodes")
    assert(different.isEmpty, different.take(3).mkString("\n"))
    assert(parsed > 3000)
    Seq(
      "statement",
      "queryTerm",
      "queryPrimary",
      "querySpecification",
      "relationPrimary",
      "streamRelationPrimary",
      "dmlStatementNoWith",
      "insertInto",
      "setResetStatement",
      "booleanExpression",
      "valueExpression",
      "primaryExpression",
      "constant",
      "windowSpec"
    ).foreach { rule =>
      val missing = labelled(rule) -- visited
      assert(labelled(rule).nonEmpty && missing.isEmpty, s"$rule: not visited: $missing")
    }
  }

  test("statements as people write them, full of our words") {
    val statements = Seq(
      "SELECT a[now], b[rows], c[range], d[frequency], e[landmark], f[tumble] FROM t",
      "SELECT a [now] FROM t",
      "SELECT a[now][rows].x[lag + 1], m[origin('x')], n[slide.y], v[rows:n], v[range:a.b[0]], w[on] FROM t",
      "SELECT a[range - 5], a[rows -5], a[slide * 2], a[frequency div 2], a[lag :: int] FROM t WHERE b[now] > 3",
      "SELECT extract(YEAR FROM a[now]), trim(FROM a[now]), trim(BOTH 'x' FROM a[now]), substring(a FROM b[now]) FROM t",
      "SELECT a IS DISTINCT FROM b[now], a IS NOT DISTINCT FROM b[rows] FROM t",
      "SELECT * FROM t JOIN u ON t.a[now] = u.b[now] WHERE t.c[rows] = 1 GROUP BY d[now], e[range] ORDER BY f[now]",
      "SELECT * FROM VALUES map(1, 2)[now]",
      "SELECT * FROM t TIMESTAMP AS OF x[now]",
      "SELECT * FROM range(10), stream, now, rows AS slide, frequency lag, landmark.band.tumble",
      "SELECT stream, slide, active, expiration, frequency, now, tuples, istream FROM stream AS slide",
      "SELECT create stream, preceding slide, row active FROM t",
      "SELECT (SELECT preceding slide FROM t), (SELECT row active FROM t)",
      "SELECT istream(a), istream(a, b), istream((SELECT 1)), dstream(*), rstream(DISTINCT a) FROM t",
      "SELECT * FROM istream(1), rstream",
      "INSERT INTO rstream (SELECT 1)",
      "INSERT INTO db.istream (SELECT 1)",
      "INSERT OVERWRITE istream (SELECT 1)",
      "INSERT INTO TABLE dstream (SELECT 1)",
      "WITH rstream (SELECT 1 AS a), istream (SELECT 2) SELECT * FROM rstream",
      "CREATE TABLE rstream (SELECT 1 AS a)",
      "CREATE TABLE IF NOT EXISTS rstream (SELECT 1 AS a)",
      "CREATE TABLE t USING istream (SELECT 1)",
      "CACHE TABLE rstream (SELECT 1)",
      "ALTER VIEW istream (SELECT 1)",
      "CREATE VIEW stream AS SELECT 1",
      "CREATE FUNCTION aggregate AS 'a.B'",
      "SHOW TABLES LIKE 'stream*'",
      "DESCRIBE stream",
      "SET my.key = [Range 5 Rows]",
      "SET my.key = [Range 0 Parsecs",
      "ADD JAR /x/[Rows 5].jar",
      "RESET x.[Now]",
      "SELECT sum(a) OVER (ORDER BY ts RANGE BETWEEN INTERVAL 1 HOUR PRECEDING AND CURRENT ROW) FROM t",
      "SELECT sum(a) OVER (ORDER BY ts RANGE INTERVAL '1' DAY PRECEDING), sum(b) OVER (ROWS 3 PRECEDING) FROM t",
      "SELECT sum(slide) OVER (PARTITION BY active ORDER BY expiration ROWS UNBOUNDED PRECEDING) AS slide FROM t",
      "SELECT 1 AS hour, 2 following, 3 preceding FROM t WHERE x BETWEEN 1 AND 2",
      "SELECT x BETWEEN 1 AND 2 hour FROM t",
      "SELECT '[Range 1 Hour]', \"[Now]\" /* [Rows 3] */ FROM t -- [Range 1 Hour]",
      "SELECT array(1)[0], map('a', 1)['a'], :p[1], ?[2] FROM t",
      "MERGE INTO t USING stream ON a[now] = b WHEN MATCHED THEN DELETE",
      "UPDATE stream SET now = rows[now] WHERE range[frequency] = 1",
      "FROM t MAP a[now], b USING 'cat'",
      "BEGIN DECLARE stream INT = 1; SET stream = 2; SELECT stream; END",
      "SELECT * FROM t PIVOT (sum(a[now]) FOR b IN (1)) UNPIVOT (x FOR y IN (z))",
      "SELECT a FROM t /* unclosed [Rows 3]",
      "SELECT a FROM t [",
      "SELECT a FROM t []",
      "SELECT a FROM t [5]",
      "SELECT a FROM t [x 5]",
      "SELECT a[ FROM t",
      "SELECT [ FROM t",
      "]",
      "[",
      "",
      " ",
      ";",
      "[Range]",
      "stream",
      "STREAM (",
      "istream",
      "istream()",
      "CREATE",
      "SHOW",
      "DESCRIBE",
      "DROP",
      "CREATE OR REPLACE TEMPORARY",
      "preceding",
      "slide",
      "${",
      "SELECT ${nothing}",
      "\u0000[",
      "\uD83D\uDE00 [now]"
    )
    val different = statements.filterNot(same)
    assert(different.isEmpty, different.mkString("\n"))
  }

  test("the other entry points") {
    val expressions =
      Seq("a[now]", "istream(a)", "sum(a) OVER (ROWS 3 PRECEDING)", "a[range] AS slide", "[Range]", "a )")
    expressions.foreach { e =>
      assert(outcome(parser.parseExpression(e)) == outcome(stock.parseExpression(e)), e)
    }
    val queries = Seq("SELECT a[now] FROM t", "TABLE stream", "SELECT 1; SELECT 2", "DROP TABLE t")
    queries.foreach(q => assert(outcome(parser.parseQuery(q)) == outcome(stock.parseQuery(q)), q))
    assert(parser.parseTableIdentifier("a.b") == stock.parseTableIdentifier("a.b"))
    assert(parser.parseFunctionIdentifier("a.b") == stock.parseFunctionIdentifier("a.b"))
    assert(parser.parseMultipartIdentifier("a.`[Now]`.c") == stock.parseMultipartIdentifier("a.`[Now]`.c"))
    assert(parser.parseTableSchema("a INT, now STRING") == stock.parseTableSchema("a INT, now STRING"))
    assert(parser.parseDataType("STRUCT<stream: INT>") == stock.parseDataType("STRUCT<stream: INT>"))
    assert(parser.parseRoutineParam("a INT DEFAULT 5") == stock.parseRoutineParam("a INT DEFAULT 5"))
    val parameters = NamedParameterContext(Map("p" -> Literal(5)))
    val withParameter = "SELECT :p, a[now] FROM t WHERE b = :p"
    assert(
      outcome(parser.parsePlanWithParameters(withParameter, parameters)) ==
        outcome(stock.parsePlanWithParameters(withParameter, parameters)))
  }
}
