package org.sparkcsql.parse

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.NamedExpression
import org.apache.spark.sql.catalyst.plans.logical._

import org.sparkcsql.plan.{AnswerFrequency, RelationToStream, WholeQuery}

/** `SELECT ISTREAM(…)`, and what stands above what in the plan of a block. */
class StreamOperatorSuite extends ParserTest {
  private def expanded(sql: String): LogicalPlan = ExpandStreamOperators(spark)(parser.parsePlan(sql))

  /** The names of the nodes from the top to the block's Project or Aggregate. */
  private def spine(plan: LogicalPlan): String = plan match {
    case WholeQuery(query) => spine(query)
    case _: Project | _: Aggregate => plan.nodeName
    case other => other.nodeName + " " + other.children.headOption.map(spine).getOrElse("")
  }

  private def columns(plan: LogicalPlan): Int = plan.collectFirst {
    case p: Project => p.projectList.size
    case a: Aggregate => a.aggregateExpressions.size
  }.get

  test("the list inside becomes the SELECT list") {
    assert(spine(expanded("SELECT ISTREAM(a, b) FROM S [Now]")) == "RelationToStream Project")
    assert(columns(expanded("SELECT ISTREAM(a, b) FROM S [Now]")) == 2)
    assert(spine(expanded("SELECT rstream(*) FROM S")) == "RelationToStream Project")
    assert(spine(expanded("SELECT DSTREAM(DISTINCT *) FROM S")) == "RelationToStream Distinct Project")
    assert(
      spine(expanded("SELECT ISTREAM(k, count(*)) FROM S GROUP BY k HAVING count(*) > 1")) ==
        "RelationToStream UnresolvedHaving Aggregate")
    assert(
      spine(expanded("SELECT ISTREAM(k) [Frequency 5 Tuples] FROM S ORDER BY b LIMIT 3")) ==
        "AnswerFrequency RelationToStream GlobalLimit LocalLimit Sort Project")
    assert(spine(expanded("FROM S |> SELECT ISTREAM(a, b)")) == "RelationToStream Project")
    assert(spine(expanded("SELECT * FROM (SELECT ISTREAM(a) FROM S) x")) == "Project")
    assert(columns(expanded("FROM S |> SELECT ISTREAM(a, b)")) == 2)
  }

  test("aliases") {
    def names(sql: String): Seq[String] = expanded(sql).collectFirst { case p: Project =>
      p.projectList.collect { case n: NamedExpression if n.resolved || n.toString.contains("AS") => n.name }
    }.get
    assert(names("SELECT ISTREAM(a) AS x FROM S") == Seq("x"))
    assert(names("SELECT ISTREAM(a, b) AS (x, y) FROM S") == Seq("x", "y"))
  }

  test("what makes no stream is refused") {
    def refused(sql: String, condition: String, fragment: String): Unit = {
      val error = intercept[AnalysisException](expanded(sql))
      assert(error.getCondition == condition && error.getQueryContext.head.fragment == fragment, sql)
    }
    refused("SELECT ISTREAM(a), b FROM S", "CSQL_CLAUSE_MISPLACED", "ISTREAM(a)")
    refused("SELECT DISTINCT ISTREAM(a) FROM S", "CSQL_CLAUSE_MISPLACED", "ISTREAM(a)")
    refused("SELECT ISTREAM() FROM S", "CSQL_CLAUSE_INCOMPLETE", "ISTREAM()")
    refused("SELECT ISTREAM(a, b) AS x FROM S", "CSQL_CLAUSE_CONTRADICTORY", "ISTREAM(a, b)")
  }

  test("a function of that name stays a function") {
    spark.udf.register("istream", (x: Int) => x + 1)
    try {
      assert(spark.sql("SELECT istream(1) AS x").head().getInt(0) == 2)
      assert(expanded("SELECT istream(a) FROM S").collect { case r: RelationToStream => r }.isEmpty)
    } finally spark.sql("DROP TEMPORARY FUNCTION istream")
  }

  test("a frequency stands above the ORDER BY, LIMIT, HAVING and DISTINCT of its own block only") {
    def spineOf(sql: String): String = spine(parser.parsePlan(sql))
    val f = "[Frequency 1 Minute]"
    assert(spineOf(
      s"SELECT a $f FROM S ORDER BY b LIMIT 3") == "AnswerFrequency GlobalLimit LocalLimit Sort Project")
    assert(spineOf(
      s"SELECT a $f FROM S LIMIT 3 OFFSET 2") == "AnswerFrequency GlobalLimit LocalLimit Offset Project")
    assert(spineOf(s"SELECT DISTINCT a $f FROM S SORT BY b") == "AnswerFrequency Sort Distinct Project")
    assert(spineOf(s"SELECT a $f FROM S GROUP BY a HAVING b") == "AnswerFrequency UnresolvedHaving Aggregate")
    assert(
      spineOf(s"SELECT a $f FROM S CLUSTER BY a") == "AnswerFrequency Sort RepartitionByExpression Project")
    assert(spineOf(
      s"SELECT /*+ REPARTITION(2) */ a $f FROM S ORDER BY b") == "AnswerFrequency Sort UnresolvedHint Project")
    assert(spineOf(
      s"(SELECT a $f FROM S) ORDER BY b LIMIT 3") == "GlobalLimit LocalLimit Sort AnswerFrequency Project")
    assert(spineOf(s"(SELECT a $f FROM S LIMIT 2) ORDER BY b").startsWith("Sort AnswerFrequency GlobalLimit"))
    assert(spineOf(s"FROM S SELECT a $f ORDER BY b") == "AnswerFrequency Sort Project")
    assert(spineOf(s"FROM S |> SELECT a $f |> ORDER BY a") == "Sort PipeOperator AnswerFrequency Project")
    assert(
      spineOf(s"ISTREAM(SELECT a $f FROM S ORDER BY b)") == "RelationToStream AnswerFrequency Sort Project")
    assert(
      spineOf(s"WITH c AS (SELECT 1) SELECT a $f FROM c ORDER BY b") == "UnresolvedWith AnswerFrequency Sort Project")
    val union = parser.parsePlan(s"SELECT a $f FROM S UNION ALL SELECT a FROM T ORDER BY a LIMIT 3")
    assert(spine(union).startsWith("GlobalLimit LocalLimit Sort Union"))
    assert(union.collect { case a: AnswerFrequency => a.child.nodeName } == Seq("Project"))
    val inserts = parser.parsePlan(s"FROM S INSERT INTO t SELECT a $f ORDER BY b INSERT INTO u SELECT c")
    assert(inserts.children.map(_.children.map(spine)) == Seq(
      Seq("AnswerFrequency Sort Project"),
      Seq("Project")))
  }
}
