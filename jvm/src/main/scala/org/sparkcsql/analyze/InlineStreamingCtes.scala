package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.analysis.DeduplicateRelations
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.Inner
import org.apache.spark.sql.catalyst.plans.logical._
import org.sparkcsql.aggregates.UserAggregate
import org.sparkcsql.catalog.DeclaredStream
import org.sparkcsql.plan._

/**
 * Puts WITH queries over streams where they are used: a clause on the name needs the order of the
 * stream behind it, which a reference does not carry. Other WITH queries stay as they are.
 */
object InlineStreamingCtes {
  def apply(plan: LogicalPlan): LogicalPlan = {
    val streaming = plan.collect {
      case WithCTE(_, definitions) => definitions.filter(d => d.resolved && d.exists(isStream))
    }.flatten
    if (streaming.isEmpty) plan
    else {
      val byId = streaming.map(d => d.id -> d).toMap
      val inlined = plan.transformDownWithSubqueries {
        case reference: CTERelationRef if byId.contains(reference.cteId) && !reference.recursive =>
          inline(reference, byId(reference.cteId))
      }
      // A definition may itself use another one.
      val again = if (inlined.exists(usesAny(_, byId.keySet))) InlineStreamingCtes(inlined) else inlined
      again.transformUp {
        case WithCTE(child, definitions) =>
          val kept = definitions.filterNot(d => byId.contains(d.id))
          if (kept.isEmpty) child else WithCTE(child, kept)
      }
    }
  }

  private def usesAny(node: LogicalPlan, ids: Set[Long]): Boolean = node match {
    case reference: CTERelationRef => ids(reference.cteId)
    case _ => false
  }

  private def isStream(node: LogicalPlan): Boolean = node match {
    case _: WindowedRelation | _: AnswerFrequency | _: ContinuousAnswer => true
    case view: View => DeclaredStream.of(view).isDefined
    case aggregate: Aggregate if aggregate.aggregateExpressions.exists(UserAggregate.in) => true
    case other => OverChain.isOurs(other) || other.expressions.exists(_.exists(isSubqueryOverStream))
  }

  private def isSubqueryOverStream(expression: Expression): Boolean = expression match {
    case subquery: SubqueryExpression => subquery.plan.exists(isStream)
    case _ => false
  }

  private def inline(reference: CTERelationRef, definition: CTERelationDef): LogicalPlan =
    if (reference.outputSet == definition.outputSet) definition.child
    else {
      val fresh = DeduplicateRelations(
        Join(definition.child, definition.child, Inner, None, JoinHint.NONE)).children(1)
      Project(
        reference.output.zip(fresh.output).map { case (to, from) =>
          Alias(from, to.name)(exprId = to.exprId)
        },
        fresh)
    }
}
