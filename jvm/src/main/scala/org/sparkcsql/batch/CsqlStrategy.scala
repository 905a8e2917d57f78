package org.sparkcsql.batch

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, AttributeSet, Expression}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, Partial}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.execution.{FilterExec, ProjectExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.csql.StreamWindowExec
import org.apache.spark.sql.execution.aggregate.HashAggregateExec
import org.sparkcsql.kernel.Grid
import org.sparkcsql.plan._
import org.sparkcsql.stream.{LateFilterExec, StreamSpec, WithinEvaluationExec}

/** From our logical nodes to their operators on tables. */
object CsqlStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case DropNullTimes(time, child) => DropNullTimesExec(time, planLater(child)) :: Nil

    case Project(Seq(at @ Alias(asked: Attribute, _)), Filter(EveryNth(number, count), numbered: Numbered))
        if asked.exprId == numbered.number.exprId && number.semanticEquals(asked) && isStable(numbered) =>
      NthNumbersExec(count, at.toAttribute, stored(numbered)) :: Nil

    case Project(list, numbered: Numbered) if isStable(numbered) && !asksOrder(list, numbered) =>
      ProjectExec(list, inPlace(numbered, withoutOrder(numbered))) :: Nil

    case Project(list, Filter(condition, numbered: Numbered))
        if isStable(numbered) && !asksOrder(condition +: list, numbered) =>
      ProjectExec(list, FilterExec(condition, inPlace(numbered, withoutOrder(numbered)))) :: Nil

    case numbered: Numbered if isStable(numbered) => inPlace(numbered, numbered.child) :: Nil

    case numbered: Numbered =>
      NumberExec(
        numbered.order,
        numbered.inArrivalOrder,
        numbered.number,
        planLater(numbered.child)) :: Nil

    case NumberedWithin(keys, order, number, child) =>
      NumberWithinExec(keys, order, number, planLater(child)) :: Nil

    case Project(list, slide: SlideAggregate) if isInRuns(slide) =>
      ProjectExec(list, slidInRuns(slide, list)) :: Nil

    case slide: SlideAggregate if isInRuns(slide) => slidInRuns(slide, slide.output) :: Nil

    case slide: SlideAggregate => slid(slide, None, slide.child) :: Nil

    case Sliced(place, at, lag, length, end, left, right) =>
      SliceExec(place, at, lag, length, end, planLater(left), planLater(right)) :: Nil

    case jump: JumpAggregate =>
      val aggregates = toSpark(jump.functions)
      val (left, right) = (planLater(jump.left), planLater(jump.right))
      if (jump.preAggregate) {
        val rows = preAggregated(jump, aggregates, left)
        val points = jump.ownTicks.fold(right)(ticksOf(jump, _, rows))
        JumpAggregateExec(jump, partials = true, aggregates, rows, points) :: Nil
      } else {
        JumpAggregateExec(jump, partials = false, aggregates, left, right) :: Nil
      }

    case jump: JumpSelect =>
      JumpSelectExec(
        jump.substream,
        jump.pointSubstream,
        jump.enter,
        jump.leave,
        jump.time,
        jump.pointSeq,
        jump.pointTime,
        jump.lastTick,
        jump.step,
        jump.reach,
        planLater(jump.left),
        planLater(jump.right)
      ) :: Nil

    case window: StreamWindow if !window.isStreaming =>
      TableWindowExec(StreamSpec.of(window), planLater(window.child)) :: Nil

    case window: StreamWindow => streamed(window, StreamSpec.of(window)) :: Nil

    case window: RelationWindow if !window.isStreaming =>
      RelationWindowExec(StreamSpec.of(window), planLater(window.left), planLater(window.right)) :: Nil

    case window: RelationWindow =>
      StreamWindowExec(StreamSpec.of(window), planLater(window.left), planLater(window.right)) :: Nil

    case within: WithinEvaluation =>
      WithinEvaluationExec(
        within.evaluation,
        within.distinct,
        within.order,
        within.limit,
        within.offset,
        within.rank,
        planLater(within.child)) :: Nil

    case answer: ContinuousAnswer =>
      ContinuousAnswerExec(answer.summary, answer.visible, planLater(answer.child)) :: Nil

    case _ => Nil
  }

  private def isStable(numbered: Numbered): Boolean = StableRows(numbered.child)

  private def stored(numbered: Numbered): StoredRuns =
    StoredRuns(OrderedRuns(numbered.order, numbered.child), numbered.shared)

  private def inPlace(numbered: Numbered, read: LogicalPlan): NumberRunsExec =
    NumberRunsExec(numbered.order, numbered.number, stored(numbered), planLater(read))

  private def asksOrder(expressions: Seq[Expression], numbered: Numbered): Boolean =
    expressions.exists(_.references.exists(AttributeSet(numbered.order).contains))

  /** Rows that are in order are numbered without a look at the columns of the order. */
  private def withoutOrder(numbered: Numbered): LogicalPlan =
    without(AttributeSet(numbered.order), numbered.child)

  private def without(columns: AttributeSet, plan: LogicalPlan): LogicalPlan = plan match {
    case Project(list, below) => Project(list.filterNot(item => columns.contains(item.toAttribute)), below)
    case other => Project(other.output.filterNot(columns.contains), other)
  }

  private def isInRuns(slide: SlideAggregate): Boolean =
    slide.single && slide.key.nonEmpty && !slide.scattered && StableRows(slide.child)

  /** @param asked what is made of the result; rows that are in order slide without columns that only sort them */
  private def slidInRuns(slide: SlideAggregate, asked: Seq[Expression]): SparkPlan = {
    val needed = slide.copy(order = Nil).references ++ AttributeSet.fromAttributeSets(asked.map(_.references))
    val read = without(AttributeSet(slide.order) -- needed, slide.child)
    slid(slide, Some(StoredRuns(OrderedRuns(slide.order, slide.child), new SharedRuns)), read)
  }

  private def slid(slide: SlideAggregate, stored: Option[StoredRuns], rows: LogicalPlan): SparkPlan =
    SlideAggregateExec(
      slide.key,
      slide.order,
      slide.evaluation,
      slide.evaluationTime,
      slide.enter,
      slide.leave,
      slide.time,
      slide.reach,
      slide.single,
      slide.scattered,
      slide.last,
      slide.fresh,
      toSpark(slide.functions),
      slide.values,
      stored,
      planLater(rows)
    )

  private def toSpark(functions: Seq[Expression]): Seq[AggregateExpression] =
    functions.map(_.asInstanceOf[WindowedFunction].toSpark)

  /** Merges the rows of one group and one place before they are shuffled, with Spark's own operator. */
  private def preAggregated(
      jump: JumpAggregate,
      aggregates: Seq[AggregateExpression],
      rows: SparkPlan): SparkPlan =
    partial((jump.substream ++ jump.grouping ++ jump.place.attributes).distinct, aggregates, rows)

  private def ticksOf(jump: JumpAggregate, grid: Grid, rows: SparkPlan): SparkPlan = {
    val slice = jump.time.get
    val columns = jump.right.output.map { column =>
      val value =
        if (jump.pointTime.exists(_.exprId == column.exprId)) TickAtOrAfter(slice, grid, jump.reach.lag)
        else if (jump.lastTick.exists(_.exprId == column.exprId))
          LastTickSeeing(slice, grid, jump.reach.lag, jump.reach.length)
        else slice
      Alias(value, column.name)(exprId = column.exprId)
    }
    SliceTicksExec(jump.grouping, slice, columns, rows)
  }

  private def streamed(window: StreamWindow, spec: StreamSpec): SparkPlan = window.ownTime match {
    case None => StreamWindowExec(spec, planLater(window.child))
    case Some(time) =>
      val inTime = LateFilterExec(time, spec.earliest, planLater(window.child))
      StreamWindowExec(spec, partial(spec.key ++ spec.time, spec.aggregates, inTime))
  }

  private def partial(
      keys: Seq[Attribute],
      aggregates: Seq[AggregateExpression],
      rows: SparkPlan): SparkPlan = {
    val partial = aggregates.map(_.copy(mode = Partial))
    HashAggregateExec(
      requiredChildDistributionExpressions = None,
      isStreaming = false,
      numShufflePartitions = None,
      groupingExpressions = keys,
      aggregateExpressions = partial,
      aggregateAttributes = partial.flatMap(_.aggregateFunction.aggBufferAttributes),
      initialInputBufferOffset = 0,
      resultExpressions = keys ++ partial.flatMap(_.aggregateFunction.inputAggBufferAttributes),
      child = rows
    )
  }
}
