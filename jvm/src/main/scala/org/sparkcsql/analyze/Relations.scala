package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.expressions.{LateralSubquery, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.{FullOuter, LeftAnti, LeftOuter, LeftSemi, RightOuter}
import org.apache.spark.sql.catalyst.plans.logical._
import org.sparkcsql.aggregates.UserAggregate
import org.sparkcsql.catalog.DeclaredStream
import org.sparkcsql.plan._

/** Which queries look at several windows at once, so that they are run as relations that change. */
private[analyze] object Relations {

  /** Whether something in a plan changes with time. */
  def holdsStream(plan: LogicalPlan): Boolean = existsWithSubqueries(plan) {
    case _: WindowedRelation | _: AnswerFrequency | _: RelationToStream | _: ContinuousAnswer => true
    case view: View => DeclaredStream.of(view).isDefined
    case other => other.isStreaming
  }

  /** Whether a plan, or a subquery in it, has a clause of ours. */
  def holdsClause(plan: LogicalPlan): Boolean = existsWithSubqueries(plan) {
    case _: WindowedRelation | _: AnswerFrequency | _: RelationToStream => true
    case _ => false
  }

  /** Whether a plan, or a subquery in it, has anything of ours that is not answered yet. */
  def holdsOwn(plan: LogicalPlan): Boolean = existsWithSubqueries(plan) {
    case _: WindowedRelation | _: AnswerFrequency | _: RelationToStream | _: WholeQuery => true
    case aggregate: Aggregate => aggregate.aggregateExpressions.exists(UserAggregate.in)
    case other => OverChain.isOurs(other)
  }

  private def existsWithSubqueries(plan: LogicalPlan)(found: LogicalPlan => Boolean): Boolean =
    plan.exists(node =>
      found(node) || node.expressions.exists(_.exists {
        case subquery: SubqueryExpression => existsWithSubqueries(subquery.plan)(found)
        case _ => false
      }))

  /** A query whose parts are relations, not streams: views and subqueries are taken as they were written. */
  def asRelations(plan: LogicalPlan): LogicalPlan = subqueriesAsRelations(plan match {
    case _: WindowedRelation | _: RelationToStream => plan
    case answer: ContinuousAnswer =>
      answer.relation.fold[LogicalPlan](answer)(raw => asRelations(raw.instance(answer.output)))
    case other => other.mapChildren(asRelations)
  })

  /** The same for the subqueries in expressions alone. */
  def subqueriesAsRelations(plan: LogicalPlan): LogicalPlan = plan.transformAllExpressions {
    case subquery: SubqueryExpression => subquery.withNewPlan(asRelations(subquery.plan))
  }

  /** Whether a block is one of them: it has two streams, or subqueries over streams, or keeps what has no partner. */
  def needs(top: LogicalPlan): Boolean = {
    val block = Block.cut(top)
    val streams = Block.streamsOf(block.from)
    val windowed = Block.windowedRelations(block.from)
    val subqueries = own(block).flatMap(_.expressions).flatMap(_.collect {
      case subquery: SubqueryExpression if !subquery.isInstanceOf[LateralSubquery] => subquery.plan
    })
    val clause = windowed.nonEmpty || block.answerFrequency.isDefined || subqueries.exists(holdsClause)
    clause && !isPlain(block) && (streams.size > 1 || subqueries.exists(holdsStream) ||
      streams.headOption.exists(s => windowed.nonEmpty && keepsOthers(block.from, s)))
  }

  /** A query without FROM has no instants of its own: it looks at the whole answers of its subqueries. */
  private def isPlain(block: Block): Boolean =
    block.answerFrequency.isEmpty && Block.items(block.from).forall(_.isInstanceOf[OneRowRelation])

  /** The nodes of a block, without the streams of its FROM clause and what is below them. */
  private def own(block: Block): Seq[LogicalPlan] = {
    def below(node: LogicalPlan): Seq[LogicalPlan] = node match {
      case _: WindowedRelation => Nil
      case alias: SubqueryAlias if Block.isQuery(alias) => Nil
      case _: View | _: ContinuousAnswer => Nil
      case other => other +: other.children.flatMap(below)
    }
    block.above ++ block.aggregate ++ below(block.from)
  }

  /** Whether an outer join has rows for what is *not* in the window. */
  private def keepsOthers(from: LogicalPlan, stream: LogicalPlan): Boolean = from.exists {
    case join: Join if Carrying.holds(join.left, stream) =>
      join.joinType == RightOuter || join.joinType == FullOuter
    case join: Join if Carrying.holds(join.right, stream) =>
      Seq(LeftOuter, FullOuter, LeftSemi, LeftAnti).contains(join.joinType)
    case _ => false
  }
}
