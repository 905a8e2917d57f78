package org.sparkcsql.parse

import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser.{ParseException, ParserInterface}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.classic.SparkSession
import org.scalatest.funsuite.AnyFunSuite

import org.sparkcsql.SharedSession
import org.sparkcsql.plan._

/** What the parser suites share: one session, and plans written as short strings. */
trait ParserTest extends AnyFunSuite {
  protected lazy val spark: SparkSession = SharedSession.spark
  protected lazy val parser: ParserInterface = spark.sessionState.sqlParser

  /** Asserts that a statement holds exactly these nodes of ours. */
  protected def holds(sql: String, expected: String*): Unit =
    assert(ParserTest.marks(parser.parsePlan(sql)).sorted == expected.sorted, s"\n$sql")

  /** Asserts that a statement is refused with a condition at a place; `fragment` is what the caret is under. */
  protected def refuses(
      sql: String,
      condition: String,
      line: Int,
      column: Int,
      fragment: String = null): Unit = {
    val error = withClue(sql)(intercept[ParseException](parser.parsePlan(sql)))
    val place = (error.getCondition, error.line.getOrElse(0), error.startPosition.getOrElse(-1))
    assert(place == (condition, line, column), s"\n$sql\n${error.getMessage}")
    if (fragment != null) assert(error.getQueryContext.map(_.fragment).toSeq == Seq(fragment), s"\n$sql")
    if (condition.startsWith("CSQL_")) assert(error.getMessage.contains(s"(line $line, pos $column)"), sql)
  }
}

object ParserTest {
  /** Our nodes and expressions in a plan: `W[…](S)`, `F[…]`, `ISTREAM`, `T[…]`. */
  def marks(plan: LogicalPlan): Seq[String] = {
    val own = plan match {
      case WindowedRelation(clause, child) => Seq(s"W[${show(clause)}](${name(child)})")
      case AnswerFrequency(frequency, _) => Seq(s"F[${show(frequency)}]")
      case RelationToStream(operator, _) => Seq(operator.name)
      case _ => Nil
    }
    val expressions = plan.expressions.flatMap(_.collect { case e => e }).flatMap(ofExpression)
    val inner = plan match {
      case CreateStream(_, _, _, StreamBody.Query(_, query), _, _, _) => marks(query)
      case withQueries: UnresolvedWith => withQueries.cteRelations.flatMap(c => marks(c._2))
      case WithWindowDefinition(windows, _, _) => windows.values.toSeq.flatMap(_.collect { case e =>
          e
        }).flatMap(ofExpression)
      case _ => Nil
    }
    val below = plan match {
      case statement: SingleStatement => Seq(statement.parsedPlan)
      case _ => plan.children
    }
    own ++ expressions ++ inner ++ below.flatMap(marks)
  }

  private def ofExpression(expression: Expression): Seq[String] = expression match {
    case OwnFrame(_, _, _, Some(FrameTail.Slide(length)), _) => Seq(s"T[slide ${show(length)}]")
    case OwnFrame(_, _, _, Some(FrameTail.ActiveExpiration), _) => Seq("T[active]")
    case subquery: org.apache.spark.sql.catalyst.expressions.SubqueryExpression => marks(subquery.plan)
    case _ => Nil
  }

  private def name(plan: LogicalPlan): String = plan match {
    case relation: UnresolvedRelation => relation.multipartIdentifier.mkString(".")
    case SubqueryAlias(id, _) if id.name.startsWith("__") => "auto"
    case SubqueryAlias(id, _) => "as " + id.name
    case other => other.nodeName
  }

  def show(clause: WindowClause): String =
    (clause.shape.map(show).toSeq ++ clause.frequency.map(f => "frequency " + show(f)) ++
      clause.on.map("on " + _.text)).mkString("; ")

  private def show(shape: WindowShape): String = shape match {
    case WindowShape.Range(length, lag, by, _) =>
      s"range ${show(length)}" + lag.map(" lag " + show(_)).getOrElse("") + partition(by)
    case _: WindowShape.Now => "now"
    case _: WindowShape.Unbounded => "unbounded"
    case WindowShape.Between(from, until, _) =>
      (from.map("from " + show(_)) ++ until.map("until " + show(_))).mkString(" ")
  }

  def show(frequency: Frequency): String =
    show(frequency.length) + partition(
      frequency.partitionBy) + frequency.origin.map(" origin " + show(_)).getOrElse("")

  private def show(instant: Instant): String = instant.value.sql

  def show(length: Length): String = length.unit match {
    case LengthUnit.Tuples => s"${length.value} tuples"
    case LengthUnit.Time(name, _) => s"${length.value} ${name.toLowerCase(java.util.Locale.ROOT)}"
    case LengthUnit.Bare => length.value.toString
  }

  private def partition(by: Seq[ColumnName]): String =
    if (by.isEmpty) "" else by.map(_.text).mkString(" by ", ",", "")

  /** The text an origin points at. */
  def cut(origin: Origin): String =
    origin.sqlText.get.substring(origin.startIndex.get, origin.stopIndex.get + 1)
}
