package org.sparkcsql.parse

import java.util.{Collections, IdentityHashMap, List => JList}

import org.antlr.v4.runtime.ParserRuleContext

import org.apache.spark.sql.catalyst.analysis.{UnresolvedHaving, UnresolvedSubqueryColumnAliases}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.parser.SqlBaseParser._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}
import org.apache.spark.sql.execution.SparkSqlAstBuilder

import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan._

/** Spark's plans, with our nodes around those parts of them that own a mark. Made for one statement. */
private[parse] final class CsqlAstBuilder(source: SourceText, ownership: Ownership)
    extends SparkSqlAstBuilder {

  /** Every relation passes here, whichever its form. */
  override protected def plan(tree: ParserRuleContext): LogicalPlan = {
    val built = super.plan(tree)
    tree match {
      case relation: RelationPrimaryContext =>
        ownership.take(relation) match {
          case List(mark: Mark.Bracket) => windowed(mark, relation, built)
          case _ :: second :: _ => Misplaced.refuse(second, source)
          case _ => built
        }
      case _ => built
    }
  }

  private def windowed(mark: Mark.Bracket, relation: ParserRuleContext, child: LogicalPlan): LogicalPlan = {
    refuseSampled(mark, relation)
    at(source.origin(relation.start, relation.stop))(WindowedRelation(mark.clause, child))
  }

  private def refuseSampled(mark: Mark.Bracket, relation: ParserRuleContext): Unit =
    Option(relation.getRuleContext(classOf[SampleContext], 0)).foreach { sample =>
      if (sample.start.getTokenIndex > mark.anchor.getTokenIndex)
        CsqlErrors.syntax(
          "CSQL_CLAUSE_MISPLACED",
          source.origin(mark.first, mark.last),
          "clause" -> source.textOf(mark.first, mark.last),
          "hint" -> "TABLESAMPLE takes a part of the relation, not of each window: write it before the brackets."
        )
    }

  override def visitAliasedRelation(ctx: AliasedRelationContext): LogicalPlan = {
    val relation = super.visitAliasedRelation(ctx)
    relation match {
      case alias: SubqueryAlias if ownership.hasMarksIn(ctx) && holdsItems(alias.child) =>
        AliasedItems.mark(alias)
      case _ =>
    }
    relation
  }

  /** Whether a relation is made of items of FROM, and is not just a table or a query. */
  private def holdsItems(relation: LogicalPlan): Boolean = relation match {
    case _: Join | _: LateralJoin | _: WindowedRelation => true
    case UnresolvedSubqueryColumnAliases(_, child) => holdsItems(child)
    case sample: Sample => holdsItems(sample.child)
    case AliasedItems(_) => true
    case _ => false
  }

  /** The frequency of the SELECT list that is visited last and whose block is not built yet. */
  private var frequency: Option[(Frequency, Origin)] = None

  override def visitNamedExpressionSeq(
      ctx: NamedExpressionSeqContext): Seq[(Expression, Option[Expression => String])] = {
    val list = super.visitNamedExpressionSeq(ctx)
    frequency = Option(
      ctx).map(_.getParent).collect { case select: SelectClauseContext => select }.flatMap(answerFrequency)
    list
  }

  private def answerFrequency(select: SelectClauseContext): Option[(Frequency, Origin)] =
    ownership.take(select).collect { case mark: Mark.Bracket => mark } match {
      case Nil => None
      case mark :: rest =>
        rest.headOption.foreach(second =>
          CsqlErrors.syntax(
            "CSQL_CLAUSE_DOUBLED",
            second.clause.at,
            "part" -> "The Frequency of the SELECT list"))
        if (mark.clause.shape.isDefined || mark.clause.on.isDefined) Misplaced.refuse(mark, source)
        mark.clause.frequency.map(_ -> mark.clause.at)
    }

  /** Spark builds the block of a SELECT list right after visiting the list. */
  override def visitCommonSelectQueryClausePlan(
      relation: LogicalPlan,
      expressions: Seq[(Expression, Option[Expression => String])],
      lateralView: JList[LateralViewContext],
      whereClause: WhereClauseContext,
      aggregationClause: AggregationClauseContext,
      havingClause: HavingClauseContext,
      windowClause: WindowClauseContext,
      qualifyClause: QualifyClauseContext,
      isDistinct: Boolean,
      isPipeOperatorSelect: Boolean): LogicalPlan = {
    val own = frequency
    frequency = None
    val block = super.visitCommonSelectQueryClausePlan(
      relation,
      expressions,
      lateralView,
      whereClause,
      aggregationClause,
      havingClause,
      windowClause,
      qualifyClause,
      isDistinct,
      isPipeOperatorSelect)
    own.fold(block) { case (frequency, place) => at(place)(AnswerFrequency(frequency, block)) }
  }

  override def visitStatementDefault(ctx: StatementDefaultContext): LogicalPlan = {
    val query = plan(ctx.query)
    at(query.origin)(WholeQuery(query))
  }

  override def visitQuery(ctx: QueryContext): LogicalPlan = {
    val query = lift(super.visitQuery(ctx))
    closed.add(query)
    ownership.take(ctx).foldLeft(query) {
      case (child, mark: Mark.Operator) =>
        at(source.origin(mark.first, ctx.getParent.getStop))(RelationToStream(mark.operator, child))
      case (child, _) => child
    }
  }

  /** What stands behind a query in parentheses looks at its whole answer. */
  override def visitSubquery(ctx: SubqueryContext): LogicalPlan = {
    val query = super.visitSubquery(ctx)
    val outer = Option(ctx.getParent).map(_.getParent).collect { case around: QueryContext => around }
    val isOrganised = outer.exists(q => q.queryOrganization != null && q.queryOrganization.getChildCount > 0)
    if (isOrganised && ownership.hasMarksIn(ctx)) at(query.origin)(WholeQuery(query))
    else query
  }

  override def visitFromStatement(ctx: FromStatementContext): LogicalPlan =
    super.visitFromStatement(ctx) match {
      case union: Union if ctx.fromStatementBody.size > 1 => union.mapChildren(lift)
      case single => lift(single)
    }

  override def visitMultiInsertQuery(ctx: MultiInsertQueryContext): LogicalPlan =
    super.visitMultiInsertQuery(ctx) match {
      case union: Union => union.mapChildren(_.mapChildren(lift))
      case insert => insert.mapChildren(lift)
    }

  /** Queries in parentheses; what stands around them is not part of their block. */
  private val closed = Collections.newSetFromMap(new IdentityHashMap[LogicalPlan, java.lang.Boolean])

  /**
   * Moves the frequency of a block above the ORDER BY and LIMIT of the same block, because Spark resolves these
   * against the Project or Aggregate right below them.
   */
  private def lift(plan: LogicalPlan): LogicalPlan = if (closed.contains(plan)) plan
  else
    plan match {
      case _: Sort | _: GlobalLimit | _: LocalLimit | _: LimitAll | _: Offset | _: WithWindowDefinition |
          _: RepartitionByExpression | _: UnresolvedHint | _: UnresolvedHaving =>
        lift(plan.children.head) match {
          case block: AnswerFrequency if !closed.contains(block) =>
            at(block.origin)(block.copy(child = plan.withNewChildren(Seq(block.child))))
          case same if same eq plan.children.head => plan
          case changed => plan.withNewChildren(Seq(changed))
        }
      case withQueries: UnresolvedWith =>
        val query = lift(withQueries.child)
        if (query eq withQueries.child) plan else at(plan.origin)(withQueries.copy(child = query))
      case _ => plan
    }

  override def visitWindowDef(ctx: WindowDefContext): WindowSpecDefinition = {
    val window = super.visitWindowDef(ctx)
    (ownership.take(ctx), window.frameSpecification) match {
      case (List(mark: Mark.Tail), frame: SpecifiedWindowFrame) =>
        val tail = FrameTails.fitting(mark, frame, source)
        at(source.origin(mark.first, mark.last))(own(window, frame, Some(tail)))
      case (_, frame: SpecifiedWindowFrame) if FrameTails.hasBareUnit(ctx.windowFrame) =>
        at(frame.origin)(own(window, frame, None))
      case _ => window
    }
  }

  private def own(
      window: WindowSpecDefinition,
      frame: SpecifiedWindowFrame,
      tail: Option[FrameTail]): WindowSpecDefinition = {
    val aside = OwnFrame.aside(frame, tail, certain = true)
    at(window.origin)(window.copy(frameSpecification = aside))
  }

  /** The stand-in of our own statements. */
  override def visitClearCache(ctx: ClearCacheContext): LogicalPlan = ownership.take(ctx) match {
    case List(mark: Mark.Statement) => at(source.origin(mark.first, mark.last))(mark.statement.plan())
    case _ => super.visitClearCache(ctx)
  }

  private def at[T](origin: Origin)(make: => T): T = CurrentOrigin.withOrigin(origin)(make)
}
