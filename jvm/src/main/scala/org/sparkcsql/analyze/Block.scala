package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.analysis.PullOutNondeterministic
import org.apache.spark.sql.catalyst.expressions.PipeOperator
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical._
import org.sparkcsql.aggregates.UserAggregate
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan._

/**
 * One query block with a clause of ours, cut out of the plan that Spark resolved.
 *
 * @param above what stands over the aggregation or the FROM clause, from the top down: SELECT list,
 *   HAVING, DISTINCT, ORDER BY, LIMIT
 * @param aggregate the GROUP BY and its SELECT list, if the block aggregates
 * @param from the FROM clause with WHERE
 * @param relation the stream inside `from`
 */
final case class Block(
    above: Seq[LogicalPlan],
    answerFrequency: Option[Frequency],
    aggregate: Option[Aggregate],
    from: LogicalPlan,
    relation: LogicalPlan) {

  def clause: Option[WindowClause] = relation match {
    case windowed: WindowedRelation => Some(windowed.clause)
    case _ => None
  }

  /** Calls of aggregates that users have written. */
  def userCalls: Seq[UserAggregate] =
    aggregate.toSeq.flatMap(_.aggregateExpressions).flatMap(UserAggregate.of(_))

  /** Nothing but such calls makes it ours: there is no window. */
  def isUnwindowed: Boolean = clause.isEmpty && answerFrequency.isEmpty

  /** The first function that has no answer before all tuples have come, where there is no window. */
  def blocking: Option[AggregateExpression] =
    if (!isUnwindowed) None
    else
      aggregate.toSeq.flatMap(_.aggregateExpressions).flatMap(_.collect { case f: AggregateExpression => f })
        .find(_.aggregateFunction match {
          case call: UserAggregate => call.programs.any.isBlocking
          case _ => true
        })

  def answersOnce: Boolean = blocking.isDefined

  /** The stream without its clause. */
  def stream: LogicalPlan = relation match {
    case windowed: WindowedRelation => windowed.child
    case other => other
  }
}

object Block {

  /** The block whose top is this node, if it has a clause of ours. */
  def at(top: LogicalPlan): Option[Block] = {
    val whole = cut(top)
    val windowed = windowedRelations(whole.from)
    if (windowed.isEmpty && whole.answerFrequency.isEmpty && whole.userCalls.isEmpty) None
    else {
      val relation = windowed.headOption.getOrElse(
        whole.answerFrequency.fold(anyStream(whole.from))(implicitStream(whole.from, _)))
      Some(whole.copy(relation = relation))
    }
  }

  /** The block whose top is this node; its relation is all of FROM. */
  def cut(top: LogicalPlan): Block = {
    val (above, frequencies, rest) = peel(top, Nil, Nil)
    frequencies.drop(1).foreach(f =>
      CsqlErrors.analysis("CSQL_CLAUSE_DOUBLED", f.at, "part" -> "Frequency"))
    rest match {
      case a: Aggregate =>
        val stable = PullOutNondeterministic.applyLocally.applyOrElse(a, identity[LogicalPlan])
        val aggregate = stable.asInstanceOf[Aggregate]
        Block(above, frequencies.headOption, Some(aggregate), aggregate.child, aggregate.child)
      case other =>
        val (lists, from) = DistinctList.apart(above, other)
        Block(lists, frequencies.headOption, None, from, from)
    }
  }

  /** The streams in FROM: items with a clause, and others that have an order. */
  def streamsOf(from: LogicalPlan): Seq[LogicalPlan] = {
    val windowed = windowedRelations(from)
    windowed ++ items(from).filterNot(item => windowed.exists(Carrying.holds(item, _))).filter(
      StreamOrders.isStream)
  }

  /** What stands below the SELECT list, GROUP BY and everything above them. */
  def fromOf(top: LogicalPlan): LogicalPlan = peel(top, Nil, Nil)._3 match {
    case aggregate: Aggregate => aggregate.child
    case other => other
  }

  @scala.annotation.tailrec
  private def peel(
      node: LogicalPlan,
      above: Seq[LogicalPlan],
      frequencies: Seq[Frequency]): (Seq[LogicalPlan], Seq[Frequency], LogicalPlan) = node match {
    case AnswerFrequency(frequency, child) => peel(child, above, frequencies :+ frequency)
    case _: GlobalLimit | _: LocalLimit | _: Offset | _: Sort | _: Distinct | _: Project =>
      peel(node.children.head, above :+ node, frequencies)
    // HAVING; a filter that is WHERE belongs to the FROM clause
    case Filter(_, _: Aggregate | _: Filter | _: Project) if !isWhere(node) =>
      peel(node.children.head, above :+ node, frequencies)
    case other => (above, frequencies, other)
  }

  private def isWhere(node: LogicalPlan): Boolean = node match {
    case Filter(_, child) => isWhere(child)
    case Project(_, child) => isWhere(child)
    case _: Aggregate => false
    case _ => true
  }

  /** The items of a FROM clause that carry a clause; subqueries are blocks of their own. */
  def windowedRelations(from: LogicalPlan): Seq[WindowedRelation] = from match {
    case windowed: WindowedRelation => Seq(windowed)
    case alias: SubqueryAlias if !isQuery(alias) => windowedRelations(alias.child)
    case _: Filter | _: Project | _: Join | _: LateralJoin | _: Generate | _: Expand | _: ResolvedHint =>
      from.children.flatMap(windowedRelations)
    case _ => Nil
  }

  /** Whether a plan in FROM is a query of its own, not a table or a join. */
  def isQuery(plan: LogicalPlan): Boolean = plan match {
    case AliasedItems(_) => false
    case SubqueryAlias(_, child) => isQuery(child)
    case _: Project | _: Aggregate | _: Distinct | _: Sort | _: GlobalLimit | _: AnswerFrequency => true
    case _: RelationToStream | _: Union | _: SetOperation | _: WithCTE | _: ContinuousAnswer | _: Window =>
      true
    case _: RepartitionOperation | _: RebalancePartitions => true
    case Filter(_, child) => isQuery(child)
    case sample: Sample => isQuery(sample.child)
    case PipeOperator(child) => isQuery(child)
    case _: WholeQuery => true
    case _ => false
  }

  /** A frequency in the SELECT list alone: the stream is the only item, or the only one that is a stream. */
  private def implicitStream(from: LogicalPlan, frequency: Frequency): LogicalPlan = items(from) match {
    case Seq(only) => only
    case several =>
      several.filter(StreamOrders.isStream) match {
        case Seq(only) => only
        case _ =>
          CsqlErrors.analysis(
            "CSQL_CLAUSE_MISPLACED",
            frequency.at,
            "clause" -> "Frequency",
            "hint" -> "Say which item of the FROM clause is the stream by giving it a window, as in S [Range Unbounded]."
          )
      }
  }

  /** The item whose order the tuples have: the stream, or else the first one. */
  def anyStream(from: LogicalPlan): LogicalPlan = {
    val all = items(from)
    all.find(StreamOrders.isStream).orElse(all.find(_.isStreaming)).getOrElse(all.head)
  }

  /** The items of a FROM clause. */
  def items(from: LogicalPlan): Seq[LogicalPlan] = from match {
    case windowed: WindowedRelation => Seq(windowed)
    case AliasedItems(joined) => items(joined)
    case join: Join => items(join.left) ++ items(join.right)
    case lateral: LateralJoin => items(lateral.left)
    case Filter(_, child) => items(child)
    case Project(_, child) if !child.isInstanceOf[SubqueryAlias] => items(child)
    case generate: Generate => items(generate.child)
    case expand: Expand => items(expand.child)
    case other => Seq(other)
  }
}
