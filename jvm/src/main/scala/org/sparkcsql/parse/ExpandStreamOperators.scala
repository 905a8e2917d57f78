package org.sparkcsql.parse

import java.util.{Collections, IdentityHashMap, Locale}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.{
  MultiAlias,
  UnresolvedAlias,
  UnresolvedFunction,
  UnresolvedHaving
}
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, NamedExpression, PipeExpression}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}
import org.apache.spark.sql.catalyst.trees.TreePattern.UNRESOLVED_FUNCTION
import org.apache.spark.sql.classic

import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan.{RelationToStream, StreamOperator}

/**
 * Turns `SELECT ISTREAM(a, b) FROM …` into the block `SELECT a, b FROM …` under ISTREAM.
 *
 * Spark's grammar reads a function call there, so it has to be undone before functions are looked up. Functions that
 * the user has registered under such a name stay functions.
 */
final case class ExpandStreamOperators(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    // Nodes made in this pass: the ORDER BY, HAVING and LIMIT of their blocks move below them.
    val made = Collections.newSetFromMap(new IdentityHashMap[LogicalPlan, java.lang.Boolean])
    def make(operator: StreamOperator, block: LogicalPlan, origin: Origin): LogicalPlan = {
      val stream = CurrentOrigin.withOrigin(origin)(RelationToStream(operator, block))
      made.add(stream)
      stream
    }
    def expanded(call: StreamCall, block: LogicalPlan): LogicalPlan =
      make(call.operator, if (call.isDistinct) Distinct(block) else block, call.origin)

    plan.resolveOperatorsUpWithPruning(_.containsPattern(UNRESOLVED_FUNCTION)) {
      case project: Project if callIn(project.projectList).isDefined =>
        val call = onlyCall(project.projectList)
        expanded(call, project.copy(projectList = call.columns))
      case aggregate: Aggregate if callIn(aggregate.aggregateExpressions).isDefined =>
        val call = onlyCall(aggregate.aggregateExpressions)
        expanded(call, aggregate.copy(aggregateExpressions = call.columns))
      case Distinct(stream: RelationToStream) if made.contains(stream) => refuseDistinct(stream)
      case node @ (_: Sort | _: GlobalLimit | _: LocalLimit | _: Offset | _: UnresolvedHaving |
          _: RepartitionOperation | _: RebalancePartitions | _: WithWindowDefinition)
          if made.contains(node.children.head) =>
        val stream = node.children.head.asInstanceOf[RelationToStream]
        make(stream.operator, node.withNewChildren(Seq(stream.child)), stream.origin)
    }
  }

  private def callIn(items: Seq[NamedExpression]): Option[NamedExpression] =
    items.find(operatorOf(_).isDefined)

  /** The operator applies to whole rows, so it must be the only element of the list. */
  private def onlyCall(items: Seq[NamedExpression]): StreamCall = {
    val item = callIn(items).get
    val (operator, call) = operatorOf(item).get
    if (items.size > 1)
      CsqlErrors.analysis(
        "CSQL_CLAUSE_MISPLACED",
        call.origin,
        "clause" -> operator.name,
        "hint" -> s"It makes a stream of whole rows: write all columns inside, as in ${operator.name}(a, b)."
      )
    StreamCall(operator, call, item)
  }

  private def operatorOf(item: NamedExpression): Option[(StreamOperator, UnresolvedFunction)] =
    item.children.headOption.map {
      case PipeExpression(child, _, _) => child
      case child => child
    }.collect {
      case call: UnresolvedFunction
          if call.nameParts.size == 1 && call.filter.isEmpty && call.ignoreNulls.isEmpty => call
    }.flatMap { call =>
      StreamOperator.all
        .find(_.name.equalsIgnoreCase(call.nameParts.head))
        .filterNot(operator => isRegistered(operator.name))
        .map(_ -> call)
    }

  private def isRegistered(name: String): Boolean = session match {
    case classicSession: classic.SparkSession =>
      classicSession.sessionState.catalog.functionExists(FunctionIdentifier(name.toLowerCase(Locale.ROOT)))
    case _ => false
  }

  private def refuseDistinct(stream: RelationToStream): Nothing = CsqlErrors.analysis(
    "CSQL_CLAUSE_MISPLACED",
    stream.origin,
    "clause" -> stream.operator.name,
    "hint" -> s"DISTINCT belongs inside: SELECT ${stream.operator.name}(DISTINCT a)."
  )
}

/** `ISTREAM([DISTINCT] a, b) [AS (x, y)]`, read as a SELECT list. */
private final case class StreamCall(
    operator: StreamOperator,
    columns: Seq[NamedExpression],
    isDistinct: Boolean,
    origin: Origin)

private object StreamCall {
  def apply(operator: StreamOperator, call: UnresolvedFunction, item: NamedExpression): StreamCall = {
    if (call.arguments.isEmpty)
      CsqlErrors.analysis(
        "CSQL_CLAUSE_INCOMPLETE",
        call.origin,
        "part" -> operator.name,
        "missing" -> "something to stream",
        "hint" -> s"Write SELECT ${operator.name}(*) or ${operator.name}(a, b)."
      )
    StreamCall(operator, named(operator, call, item), call.isDistinct, call.origin)
  }

  private def named(operator: StreamOperator, call: UnresolvedFunction, item: NamedExpression) = {
    val names = item match {
      case alias: Alias => Seq(alias.name)
      case MultiAlias(_, several) => several
      case _ => Nil
    }
    if (names.nonEmpty && names.size != call.arguments.size)
      CsqlErrors.analysis(
        "CSQL_CLAUSE_CONTRADICTORY",
        call.origin,
        "part" -> s"The number of aliases, ${names.size},",
        "other" -> s"the ${call.arguments.size} columns of ${operator.name}",
        "hint" -> "Write as many aliases as columns, as in ISTREAM(a, b) AS (x, y)."
      )
    columns(call, item).zipWithIndex.map {
      case (column, i) if names.nonEmpty => Alias(column, names(i))()
      case (column: NamedExpression, _) => column
      case (column, _) => UnresolvedAlias(column)
    }
  }

  /** In a pipe, each column keeps the check that it holds no aggregate. */
  private def columns(call: UnresolvedFunction, item: NamedExpression): Seq[Expression] =
    item.children.head match {
      case pipe: PipeExpression =>
        call.arguments.map {
          case named: NamedExpression => named
          case column => pipe.copy(child = column)
        }
      case _ => call.arguments
    }
}
