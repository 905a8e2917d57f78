package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.types.{DataType, Metadata, MetadataBuilder, TimestampType}
import org.sparkcsql.aggregates.UserAggregate
import org.sparkcsql.catalog.DeclaredStream
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan._

/** Gives `evaluation_time()` the type of the time of its own block's stream. */
object ResolveEvaluationTime extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    lazy val definitions = plan.collect { case WithCTE(_, all) =>
      all.map(d => d.id -> d.child)
    }.flatten.toMap
    plan.resolveOperatorsUp {
      case node if node.childrenResolved && node.expressions.exists(_.exists(isOpen)) =>
        // A frequency on the answer makes a block of what is below it, also without a clause in FROM.
        val sampled =
          plan.collect { case answer: AnswerFrequency if Carrying.holds(answer, node) => answer }.lastOption
        val types = new BlockTimeType(definitions)
        val found = types.ofBlock(node).orElse(sampled.flatMap(types.ofBlock)).orElse(
          if (isPart(plan, node)) types.ofAny(node) else None)
        node.transformExpressions {
          case alias @ Alias(time @ EvaluationTime(None), name) =>
            val resolved = EvaluationTime(Some(timeType(found, time)))
            Alias(resolved, name)(alias.exprId, alias.qualifier, marked(alias, resolved, node.isStreaming))
          case time @ EvaluationTime(None) => EvaluationTime(Some(timeType(found, time)))
        }
    }
  }

  /** Whether a node is part of a query over relations, which may be views and subqueries. */
  private def isPart(plan: LogicalPlan, node: LogicalPlan): Boolean =
    Relations.holdsClause(node) || plan.exists {
      case stream: RelationToStream => Carrying.holds(stream, node)
      case _ => false
    }

  /** On a stream it is the event time of the answer, and Spark's own windows may follow. */
  private def marked(alias: Alias, time: EvaluationTime, streaming: Boolean): Option[Metadata] =
    if (!streaming) alias.explicitMetadata
    else {
      val mark = new MetadataBuilder().putBoolean(StreamingOrders.EventTime, true)
      // Spark knows only this type as event time
      if (time.dataType == TimestampType) mark.putLong(EventTimeWatermark.delayKey, 0): Unit
      Some(mark.build())
    }

  private def isOpen(expression: Expression): Boolean = expression match {
    case EvaluationTime(None) => true
    case _ => false
  }

  private def timeType(found: Option[Option[DataType]], time: EvaluationTime): DataType = found match {
    case Some(Some(dataType)) => dataType
    case Some(None) =>
      CsqlErrors.analysis("CSQL_EVALUATION_TIME", time.origin, "reason" -> "the stream has no time.")
    case None =>
      CsqlErrors.analysis(
        "CSQL_EVALUATION_TIME",
        time.origin,
        "reason" -> "the query has no window or frequency.")
  }

}

/** Finds the type of a block's time while Spark is still resolving the query around it. */
private final class BlockTimeType(definitions: => Map[Long, LogicalPlan]) {

  /** The time type of the windowed stream of the block that a node belongs to; the outer option: is there one. */
  def ofBlock(node: LogicalPlan): Option[Option[DataType]] = node match {
    case windowed: WindowedRelation => Some(ofClause(windowed))
    case Project(list, from) if list.exists(OverChain.holdsCall) => ofOver(list, from)
    case Project(list, from) if list.exists(UserAggregate.in) => ofCalls(from)
    case aggregate: Aggregate if aggregate.aggregateExpressions.exists(UserAggregate.in) =>
      ofCalls(aggregate.child)
    case AnswerFrequency(_, child) => ofBlock(child).orElse(Some(ofRelation(Block.fromOf(child))))
    case alias: SubqueryAlias if Block.isQuery(alias) => None
    case _: View | _: Union | _: SetOperation | _: ContinuousAnswer => None
    case window: Window if OverChain.isOurs(window) => ofWindow(window)
    case other => other.children.iterator.map(ofBlock).collectFirst { case found @ Some(_) => found }.flatten
  }

  /** The time type of the first stream in a query, its views and its subqueries. */
  def ofAny(plan: LogicalPlan): Option[Option[DataType]] = plan match {
    case windowed: WindowedRelation => Some(ofClause(windowed))
    case answer: ContinuousAnswer => Some(answer.timeType)
    case view: View if DeclaredStream.of(view).isDefined =>
      Some(StreamOrders.of(view, None).time.map(_.dataType))
    case reference: CTERelationRef => definitions.get(reference.cteId).flatMap(ofAny)
    case other =>
      val subqueries = other.expressions.flatMap(_.collect { case s: SubqueryExpression => s.plan })
      (other.children ++ subqueries).iterator.map(ofAny).collectFirst { case found @ Some(_) =>
        found
      }.flatten
  }

  /** The block calls aggregates of users: it is ours without a window too. */
  private def ofCalls(from: LogicalPlan): Option[Option[DataType]] =
    ofBlock(from).orElse(Some(ofRelation(Block.anyStream(from))))

  /** The block has OVERs, and one of them is ours. */
  private def ofOver(list: Seq[NamedExpression], from: LogicalPlan): Option[Option[DataType]] = {
    val calls = list.flatMap(_.collect { case call: WindowExpression => call })
    val stream = Block.items(from).find(item => OverChain.isStream(item) || hasClause(item))
    def isOwn(call: WindowExpression) = OverChain.isCertain(call.windowSpec) ||
      (call.windowSpec.orderSpec.isEmpty && stream.isDefined) || UserAggregate.in(call.windowFunction)
    calls.filter(isOwn) match {
      case Nil => None
      case own =>
        val written = own.flatMap(_.windowSpec.orderSpec.headOption).map(_.child).headOption
        Some(written.map(_.dataType).orElse(ofRelation(stream.getOrElse(Block.items(from).head))))
    }
  }

  /** The same, when Spark has taken the OVERs out of the list. */
  private def ofWindow(window: Window): Option[Option[DataType]] = {
    val calls = OverChain.windows(window).flatMap(_.windowExpressions)
    val from = OverChain.base(window) match {
      case Project(_, child) => child
      case other => other
    }
    ofOver(calls, from)
  }

  private def ofClause(windowed: WindowedRelation): Option[DataType] = windowed.clause.on match {
    case Some(column) => Some(Columns.find(column, windowed.child.output).dataType)
    case None => ofRelation(windowed.child)
  }

  /** Inner blocks are still as parsed here; everything else is asked as the block itself will ask it later. */
  private def ofRelation(relation: LogicalPlan): Option[DataType] = relation match {
    case SubqueryAlias(_, child) => ofRelation(child)
    case reference: CTERelationRef => definitions.get(reference.cteId).flatMap(ofRelation)
    case union: Union if hasClause(union) || union.children.forall(StreamOrders.isStream) =>
      ofRelation(union.children.head)
    case Distinct(union: Union) => ofRelation(union)
    case other if hasClause(other) => ofBlock(other).getOrElse(other.children.headOption.flatMap(ofRelation))
    case other => StreamOrders.of(other, None).time.map(_.dataType)
  }

  private def hasClause(plan: LogicalPlan): Boolean = plan.exists {
    case _: WindowedRelation | _: AnswerFrequency => true
    case Project(list, _) => list.exists(_.exists(OverChain.isCertain))
    case window: Window => OverChain.isOurs(window)
    case reference: CTERelationRef => definitions.get(reference.cteId).exists(hasClause)
    case _ => false
  }
}
