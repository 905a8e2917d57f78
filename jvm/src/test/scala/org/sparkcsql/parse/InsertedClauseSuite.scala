package org.sparkcsql.parse

import scala.collection.mutable
import scala.util.Try

import org.antlr.v4.runtime.{CommonTokenStream, ParserRuleContext}
import org.antlr.v4.runtime.tree.ParseTree

import org.apache.spark.sql.catalyst.expressions.{Expression, SubqueryExpression}
import org.apache.spark.sql.catalyst.parser._
import org.apache.spark.sql.catalyst.parser.SqlBaseParser._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SubqueryAlias, UnresolvedWith}
import org.apache.spark.sql.execution.SparkSqlParser
import org.apache.spark.sql.execution.command.{DescribeQueryCommand, ExplainCommand}
import org.apache.spark.sql.internal.SQLConf

import org.sparkcsql.plan.{AnswerFrequency, WholeQuery, WindowedRelation}

/** Wherever Spark's grammar has a relation or a SELECT list, a clause can be put; the plan around it stays Spark's. */
class InsertedClauseSuite extends ParserTest {
  private lazy val stock: ParserInterface = new SparkSqlParser

  private def treeOf(sql: String): Option[ParserRuleContext] = Try {
    val lexer = new SqlBaseLexer(CsqlParserAccess.charStream(sql))
    val tokens = new CommonTokenStream(lexer)
    val parser = new SqlBaseParser(tokens)
    AbstractParser.configureParser(parser, sql, tokens, SQLConf.get)
    AbstractParser.executeWithTwoStageStrategy(parser, tokens, _.compoundOrSingleStatement())
  }.toOption

  /** Where clauses can go: the clause, and the offset behind which. */
  private def places(sql: String): Seq[(String, Int)] = {
    val found = mutable.ArrayBuffer.empty[(String, Int)]
    def visit(tree: ParseTree): Unit = tree match {
      case _: CreateUserDefinedFunctionContext | _: DeclareCursorStatementContext => // kept as text
      case node =>
        node match {
          case relation: RelationPrimaryContext => found += " [Rows 5] " -> relation.getStop.getStopIndex
          case select: SelectClauseContext => found += " [Frequency 5 Tuples] " -> select.getStop.getStopIndex
          case _ =>
        }
        (0 until node.getChildCount).foreach(i => visit(node.getChild(i)))
    }
    treeOf(sql).foreach(visit)
    found.toSeq
  }

  private def without(plan: LogicalPlan): LogicalPlan = plan.transformUp {
    case WindowedRelation(_, child) => child
    case AnswerFrequency(_, child) => child
    case WholeQuery(query) => query
    case explain: ExplainCommand => explain.copy(logicalPlan = without(explain.logicalPlan))
    case queries: UnresolvedWith =>
      queries.copy(cteRelations = queries.cteRelations.map { case (name, query, level) =>
        (name, without(query).asInstanceOf[SubqueryAlias], level)
      })
  }.transformAllExpressions {
    case subquery: SubqueryExpression => subquery.withNewPlan(without(subquery.plan)): Expression
  }

  private def shown(plan: LogicalPlan): String = plan.treeString
    .replaceAll("#\\d+L?|@[0-9a-f]+|plan_id=\\d+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "#")
    .replaceAll(" *\\[(Rows|Frequency) 5( Tuples)?\\] *", "")
    .replaceAll("\\s+", "")

  /** Plans that Spark keeps where no walk over children and expressions finds them. */
  private def isHidden(plan: LogicalPlan): Boolean =
    plan.isInstanceOf[DescribeQueryCommand] || plan.isInstanceOf[ExplainCommand] || plan.treeString.contains(
      "PlanWithUnresolvedIdentifier")

  test("clauses at every place of generated queries") {
    val sentences = new GrammarSentences(seed = 7)
    val rules =
      Seq("" -> "query", "" -> "statement", "SELECT * FROM " -> "relation", "" -> "querySpecification")
    val statements = (1 to 2500).map(i => rules(i % rules.size)).map { case (prefix, rule) =>
      prefix + sentences.next(rule)
    }.distinct
    var inserted = 0
    val wrong = for {
      sql <- statements
      plan <- Try(stock.parsePlan(sql)).toOption.toSeq
      (clause, behind) <- places(sql)
      text = sql.take(behind + 1) + clause + sql.drop(behind + 1)
      problem <- {
        inserted += 1
        Try(parser.parsePlan(text)).fold(
          e => Some(e.getMessage),
          ours =>
            if (ParserTest.marks(ours).isEmpty && !isHidden(ours)) Some("the clause is lost")
            else if (shown(without(ours)) != shown(plan)) Some(s"${shown(plan)}\n${shown(without(ours))}")
            else None
        )
      }
    } yield s"$text\n$problem"
    info(s"$inserted clauses in ${statements.size} statements")
    if (wrong.nonEmpty) fail(s"${wrong.size} of $inserted\n" + wrong.take(5).map(_.take(1000)).mkString("\n"))
    assert(inserted > 1500)
  }
}
