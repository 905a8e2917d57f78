package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.analysis.AnalysisContext
import org.apache.spark.sql.catalyst.expressions.{
  ExprUtils,
  PipeOperator,
  RuntimeReplaceableAggregate,
  SubqueryExpression
}
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.Origin
import org.sparkcsql.aggregates.{AggregateCompiler, UserAggregate}
import org.sparkcsql.batch.{BatchLowering, MergedAnswers, UserBatchLowering}
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan._
import org.sparkcsql.stream.StreamLowering

/**
 * Replaces each block that has a clause of ours by the plan of its answer. Runs when Spark has
 * resolved everything around the clauses, inner blocks first.
 */
object ResolveBlocks extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    // a subquery is looked at with the query around it
    if (AnalysisContext.get.outerPlan.isDefined || AggregateCompiler.isCompiling) plan
    else if (!Relations.holdsOwn(plan)) plan
    else {
      val rewritten = rewrite(OverChain.timesBelow(overTables(InlineStreamingCtes(plan))))
      Notices.tell(rewritten.collect { case answer: ContinuousAnswer => answer.summary })
      if (rewritten.resolved) rewritten.foreachWithSubqueries(refuseLeftover)
      rewritten
    }

  private val relations = new RelationLowering(asStream)

  private def rewrite(top: LogicalPlan): LogicalPlan = top match {
    case answer: ContinuousAnswer => answer
    case whole: WholeQuery if whole.resolved => rewrite(whole.child)
    case stream: RelationToStream if stream.resolved =>
      withViews(relations.operator(asRelation(stream).asInstanceOf[RelationToStream]), stream)
    case operation @ (_: Intersect | _: Except) if operation.resolved && Relations.holdsClause(operation) =>
      asWritten(relations.setOperation(asRelation(operation).asInstanceOf[SetOperation]), operation)
    case other => asWritten(rewriteBlock(other), other)
  }

  /** An answer that knows its query, for those who want the relation. */
  private def asWritten(rewritten: LogicalPlan, query: LogicalPlan): LogicalPlan =
    withViews(rewritten, query) match {
      case answer: ContinuousAnswer => answer.copy(relation = Some(new RawBlock(query)))
      case other => other
    }

  private def withViews(rewritten: LogicalPlan, query: LogicalPlan): LogicalPlan = rewritten match {
    case answer: ContinuousAnswer => answer.copy(child = TemporaryViews.kept(query, answer.child))
    case other => other
  }

  /** A subquery in an expression that reads no stream is a table, whatever stands around it. */
  private def overTables(plan: LogicalPlan): LogicalPlan = plan.transformAllExpressions {
    case subquery: SubqueryExpression if Relations.holdsOwn(subquery.plan) =>
      val inner = overTables(subquery.plan)
      subquery.withNewPlan(if (Relations.holdsStream(inner)) inner else table(rewrite(inner)))
  }

  private def table(rewritten: LogicalPlan): LogicalPlan = rewritten.transformUp {
    case answer: ContinuousAnswer => Project(answer.output, answer.child)
  }

  private def rewriteBlock(top: LogicalPlan): LogicalPlan = {
    val prepared = top match {
      case window: Window => OverChain.mapBase(window, rewrite)
      case own if belongsToBlock(own) => inside(own)
      case other =>
        refuseBetween(other)
        other.mapChildren(rewrite)
    }
    if (!prepared.resolved) prepared
    else {
      withoutPipes(prepared) match {
        case union: Union if union.children.exists(isAnswer) => MergedAnswers.all(answers(union))
        case window: Window if isAnswer(OverChain.base(window)) => refuseWindowFunction(window)
        case window: Window => OverChain.at(window).fold(identity, OverLowering(_))
        case own if belongsToBlock(own) && Relations.needs(own) => relations.block(own)
        case own if belongsToBlock(own) => Block.at(own).fold(subqueries(own))(lower)
        case other => subqueries(other)
      }
    }
  }

  /** Spark marks what a pipe reads. Up to the SELECT list it is the FROM clause of the block. */
  private def withoutPipes(plan: LogicalPlan): LogicalPlan = plan.transformDown {
    case PipeOperator(child) if !Block.isQuery(child) => child
  }

  /** Without what tells how Spark should spread the rows: one operator holds the relations of all windows. */
  private def asRelation(plan: LogicalPlan): LogicalPlan = plan.transformDown {
    case spread @ (_: RepartitionOperation | _: RebalancePartitions | _: PipeOperator) => spread.children.head
  }

  /** Operators between FROM and the rest of a block would see the whole answer instead of each window. */
  private def refuseBetween(node: LogicalPlan): Unit = node match {
    case _: Sample | _: NearestByJoin =>
      node.children.flatMap(Block.windowedRelations).foreach(w => misplaced(w.clause.at, "the window"))
    case _ =>
  }

  /** In a query that is not ours, a windowed subquery is a table: its whole answer. */
  private def subqueries(plan: LogicalPlan): LogicalPlan =
    if (!Relations.holdsOwn(plan)) plan
    else
      plan.transformAllExpressions {
        case subquery: SubqueryExpression if Relations.holdsOwn(subquery.plan) =>
          subquery.withNewPlan(rewrite(subquery.plan))
      }

  /** Whether a query's rows are those of a windowed query, perhaps with columns left out or computed. */
  private def isAnswer(plan: LogicalPlan): Boolean = plan match {
    case _: ContinuousAnswer => true
    case Project(_, child) => isAnswer(child)
    case Filter(_, child) => isAnswer(child)
    case _ => false
  }

  /** Rewrites the subqueries of a block, leaving the block itself for last. */
  private def inside(node: LogicalPlan): LogicalPlan = node match {
    case windowed: WindowedRelation =>
      refuseSecond(windowed.clause, windowed.child)
      refuseRecursive(windowed)
      windowed.mapChildren(asStream)
    // a hint below the ORDER BY or LIMIT of its block, which decide how rows are spread
    case spread @ (_: RepartitionOperation | _: RebalancePartitions) => inside(spread.children.head)
    case Distinct(union: Union) =>
      val sides = union.mapChildren(rewrite).asInstanceOf[Union]
      if (sides.resolved && sides.children.exists(isAnswer)) MergedAnswers.distinct(answers(sides))
      else Distinct(sides)
    case lateral: LateralJoin =>
      refuseWindowed(lateral)
      val right = lateral.right.withNewPlan(rewrite(lateral.right.plan))
      lateral.copy(left = inside(lateral.left), right = right)
    case own if belongsToBlock(own) => own.mapChildren(inside)
    case other => rewrite(other)
  }

  /** Parentheses around a relation and its clause make no relation that could have another one. */
  @scala.annotation.tailrec
  private def refuseSecond(clause: WindowClause, relation: LogicalPlan): Unit = relation match {
    case _: WindowedRelation =>
      CsqlErrors.analysis("CSQL_CLAUSE_DOUBLED", clause.at, "part" -> "The clause of the relation")
    case SubqueryAlias(_, child) => refuseSecond(clause, child)
    case _ =>
  }

  /** It would be answered anew for each row on the left, at instants of its own. */
  private def refuseWindowed(lateral: LateralJoin): Unit = if (!lateral.left.maxRows.exists(_ <= 1))
    lateral.right.plan.foreach {
      case windowed: WindowedRelation => notLateral(windowed.clause.at)
      case _: ContinuousAnswer => notLateral(lateral.origin)
      case _ =>
    }

  private def notLateral(at: Origin): Nothing = notYet(
    at,
    "A window inside of LATERAL",
    "Join the windowed query without LATERAL, on the columns that both have.")

  /** Each round of a recursion would have windows of its own rows only. */
  private def refuseRecursive(windowed: WindowedRelation): Unit = windowed.child.foreach {
    case _: UnionLoopRef => notRecursive(windowed)
    case reference: CTERelationRef if reference.recursive => notRecursive(windowed)
    case _ =>
  }

  private def notRecursive(windowed: WindowedRelation): Nothing = notYet(
    windowed.clause.at,
    "A window over the reference of a recursive query to itself",
    "Give the window to the query that reads the whole WITH RECURSIVE.")

  /** What stands before a clause: a UNION of plain queries over streams is a stream too. */
  private def asStream(plan: LogicalPlan): LogicalPlan = plan match {
    case SubqueryAlias(_, child) => plan.withNewChildren(Seq(asStream(child)))
    case union: Union => sided(union).fold(rewrite(union))(MergedAnswers.all)
    case Distinct(union: Union) => sided(union).fold(rewrite(plan))(MergedAnswers.distinct)
    case other => rewrite(other)
  }

  private def sided(union: Union): Option[Union] = {
    val sides = union.mapChildren(rewrite).asInstanceOf[Union]
    if (!sides.resolved || !sides.children.forall(side => isAnswer(side) || StreamOrders.isStream(side))) None
    else Some(answers(sides))
  }

  /** A side of a union that is a plain query over a stream is taken as its answer, too. */
  private def answers(union: Union): Union = union.mapChildren { side =>
    if (isAnswer(side) || !StreamOrders.isStream(side)) side else unbounded(side)
  }.asInstanceOf[Union]

  /** A plain query over a stream, as a query over all its tuples. */
  private def unbounded(query: LogicalPlan): LogicalPlan = {
    val block = Block.cut(query)
    lower(block.copy(relation = Block.streamsOf(block.from).head))
  }

  private def belongsToBlock(node: LogicalPlan): Boolean = node match {
    case _: WindowedRelation | _: AnswerFrequency | _: Aggregate | _: Distinct | _: Sort => true
    case _: GlobalLimit | _: LocalLimit | _: Offset | _: Project | _: Filter => true
    case _: Join | _: LateralJoin | _: Generate | _: Expand | _: ResolvedHint => true
    case PipeOperator(child) => !Block.isQuery(child)
    case alias: SubqueryAlias => !Block.isQuery(alias)
    case _ => false
  }

  private def lower(block: Block): LogicalPlan = {
    // Spark checks this too late for us: by then the aggregate is gone
    block.aggregate.foreach(aggregate => ExprUtils.assertValidAggregation(aggregate))
    refuseUnmergeable(block)
    if (block.isUnwindowed) block.userCalls.foreach(_.requireBase())
    if (block.stream.isStreaming) block.blocking.foreach(refuseBlocking)
    val meaning = Meaning.of(block)
    if (block.stream.isStreaming) StreamLowering(block, meaning)
    else if (block.userCalls.nonEmpty) UserBatchLowering(block, meaning)
    else BatchLowering(block, meaning)
  }

  private def refuseBlocking(function: AggregateExpression): Nothing = CsqlErrors.analysis(
    "CSQL_AGGREGATE_BLOCKING",
    function.origin,
    "name" -> function.aggregateFunction.prettyName)

  /** Aggregates that run in Python workers see a whole group at once; no window can be built from parts of it. */
  private def refuseUnmergeable(block: Block): Unit =
    block.aggregate.toSeq.flatMap(_.aggregateExpressions).foreach(_.foreach {
      case aggregate: AggregateExpression =>
        aggregate.aggregateFunction match {
          case _: DeclarativeAggregate | _: ImperativeAggregate | _: RuntimeReplaceableAggregate |
              _: UserAggregate =>
          case other =>
            notYet(
              aggregate.origin,
              s"The aggregate ${other.prettyName} over a window",
              "Use one of Spark's own aggregates or an Aggregator, which work on parts of a group."
            )
        }
      case _ =>
    })

  private def refuseWindowFunction(window: Window): Nothing = notYet(
    window.windowExpressions.headOption.fold(window.origin)(_.origin),
    "A window function in the SELECT list of a windowed query",
    "Put the windowed query into a subquery, SELECT … OVER (…) FROM (…), to look at its whole answer."
  )

  private def refuseLeftover(node: LogicalPlan): Unit = node match {
    case WindowedRelation(clause, _) => misplaced(clause.at, "the window")
    case AnswerFrequency(frequency, _) => misplaced(frequency.at, "Frequency")
    case plain =>
      plain.expressions.foreach(_.foreach {
        case asked: EvaluationTime =>
          EvaluationTimes.refuse(
            asked,
            "a query around a windowed one is evaluated once, on its whole answer.")
        case _ =>
      })
  }

  private def misplaced(at: Origin, clause: String): Nothing = CsqlErrors.analysis(
    "CSQL_CLAUSE_MISPLACED",
    at,
    "clause" -> clause,
    "hint" -> "Put the windowed query into a subquery of its own: SELECT … FROM (SELECT … FROM s [Range …]).")

  private def notYet(at: Origin, what: String, hint: String): Nothing =
    CsqlErrors.analysis("CSQL_NOT_SUPPORTED_YET", at, "what" -> what, "hint" -> hint)
}
