package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types.{DataType, LongType}
import org.sparkcsql.batch._
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan._
import org.sparkcsql.stream.{RowPlaces, StreamLowering}

/**
 * From queries over several windows to the operator that runs them as relations that change.
 *
 * @param asStream the answer stream of a query that stands where a stream does
 */
private[analyze] final class RelationLowering(asStream: LogicalPlan => LogicalPlan) {

  /** A block by default: new rows, or all rows when its streams jump together. */
  def block(top: LogicalPlan): LogicalPlan = {
    refuseHaving(Block.cut(top))
    val block = Block.cut(Subqueries.asJoins(Relations.subqueriesAsRelations(top)))
    block.aggregate.foreach(aggregate => ExprUtils.assertValidAggregation(aggregate))
    val whole = block.above.headOption.orElse(block.aggregate).getOrElse(block.from)
    val inputs = new RelationInputs(needed(whole) ++ AttributeSet(AnswerColumns.hiddenInputs(block)))
    val trees = new RelationTrees(inputs, asStream, derivedAreStreams = true)
    val from = trees.of(block.from)
    val together = jumpTogether(inputs)
    val lowering: Lowering = if (inputs.isStreaming) StreamLowering else BatchLowering
    val (grouping, above) = (block.aggregate, lowering.distinctList(block)) match {
      case (Some(aggregate), _) => (Some(GroupedList.ofSparks(aggregate)), block.above)
      case (None, Some((list, rest))) if !together => (Some(lowering.distinctGroups(block, list)), rest)
      case _ => (None, block.above)
    }
    val tree = grouping.fold(from)(trees.group(_, from, block.from.origin))
    val emission =
      if (together) Emission.All
      else if (grouping.isDefined && block.aggregate.isEmpty) Emission.Distinct
      else Emission.New
    val node = window(inputs, trees, tree, emission, RelationAlgebra(top))
    val answered = answer(inputs, node, AnswerColumns.hiddenInputs(block))
    val unshaped = grouping.fold(answered.copy(visible = from.output))(listed(answered, _))
    val pace = block.answerFrequency.map(answerPace(_, inputs))
    EvaluationTimes.check(block, inputs.time)
    val summary = BlockSummary(node.described, RelationDefaults.of(inputs, byDefault = true))
    lowering.shaped(block, unshaped, above, together, pace, summary)
  }

  /** A group is shown when it gets a row, not when the other side of a comparison changes. */
  private def refuseHaving(block: Block): Unit = if (block.aggregate.isDefined)
    (block.above ++ block.aggregate).flatMap(_.expressions).foreach(_.foreach {
      case subquery: SubqueryExpression if Relations.holdsStream(subquery.plan) =>
        CsqlErrors.analysis(
          "CSQL_NOT_SUPPORTED_YET",
          subquery.origin,
          "what" -> "A subquery over a stream in HAVING or beside aggregates, without ISTREAM, DSTREAM or RSTREAM,",
          "hint" -> "Write SELECT ISTREAM(…), or compare in WHERE."
        )
      case _ =>
    })

  private def listed(answered: Answer, grouping: GroupedList): Answer = {
    val list = grouping.list.map(answered.timed(_))
    answered.copy(
      plan = Project(Carrying.append(list, answered.hidden), answered.plan),
      visible = list.map(_.toAttribute))
  }

  private def answerPace(frequency: Frequency, inputs: RelationInputs): Pace = {
    val item = inputs.streams.head
    new WindowResolver(item.stream, item.relation).pace(frequency)
  }

  /** INTERSECT and EXCEPT of windowed queries. */
  def setOperation(operation: SetOperation): LogicalPlan = {
    val (timed, inputs, trees, tree) =
      relation(Relations.subqueriesAsRelations(operation), derivedAreStreams = true)
    val emission = if (jumpTogether(inputs)) Emission.All else Emission.New
    val node = window(inputs, trees, tree, emission, RelationAlgebra(operation))
    finished(inputs, node, timed, RelationDefaults.of(inputs, byDefault = true))
  }

  /** ISTREAM, DSTREAM and RSTREAM. */
  def operator(stream: RelationToStream): LogicalPlan = {
    val (timed, inputs, trees, tree) =
      relation(Relations.asRelations(stream.child), derivedAreStreams = false)
    if (inputs.streams.isEmpty)
      CsqlErrors.analysis(
        "CSQL_CLAUSE_MISPLACED",
        stream.origin,
        "clause" -> stream.operator.name,
        "hint" -> "There is no stream in this query, so nothing in it changes.")
    val (operator, law) = RelationLaws.reduced(stream.operator, inputs, tree.tree)
    val emission = Emission.Operator(operator, timed.compared)
    val described = RelationLaws.told(RelationAlgebra(stream), law)
    val node = window(inputs, trees, tree, emission, described)
    finished(inputs, node, timed, RelationDefaults.of(inputs, byDefault = false))
  }

  private def relation(
      query: LogicalPlan,
      derivedAreStreams: Boolean): (TimedQuery, RelationInputs, RelationTrees, TreeOver) = {
    val timed = EvaluationTimes.apart(query)
    val plan = Subqueries.asJoins(timed.plan)
    val inputs = new RelationInputs(needed(plan))
    val trees = new RelationTrees(inputs, asStream, derivedAreStreams)
    (timed, inputs, trees, trees.of(plan))
  }

  private def finished(
      inputs: RelationInputs,
      node: RelationWindow,
      timed: TimedQuery,
      defaults: Seq[String]): ContinuousAnswer = {
    timed.check(inputs.time)
    val list = timed.list(time => TimeAxis.fromNumber(node.added.head, time.dataType))
    val answered = answer(inputs, node, Nil)
    ContinuousAnswer(
      BlockSummary(node.described, defaults),
      answered.order,
      list.map(_.toAttribute),
      Project(Carrying.append(list, answered.hidden), answered.plan),
      answered.clock
    )
  }

  private def answer(inputs: RelationInputs, node: RelationWindow, extra: Seq[Attribute]): Answer = {
    val places = node.added.drop(inputs.time.size)
    val (evaluation, within) = node.division.place match {
      case AnswerPlace.OfTuples => (Nil, places)
      case _ => places.splitAt(places.size - 1)
    }
    Answer(
      renewable(node),
      Nil,
      inputs.time.map(t => StreamTime(node.added.head, t.dataType)),
      evaluation,
      within,
      extra,
      StreamLowering.above(inputs.clock))
  }

  /** The rows of a query that may be used twice, in a self-join say: then Spark makes new columns, but only of aliases. */
  private def renewable(node: RelationWindow): Project = {
    val made = node.output.map(_.newInstance())
    val (values, added) = made.splitAt(node.values.size)
    val shown = node.output.zip(made).distinctBy { case (column, _) => column.exprId }
    Project(
      shown.map { case (column, value) => Alias(value, column.name)(column.exprId, column.qualifier) },
      node.copy(values = values, added = added))
  }

  private def window(
      inputs: RelationInputs,
      trees: RelationTrees,
      over: TreeOver,
      emission: Emission,
      described: String): RelationWindow = {
    val driven = drivers(inputs, emission)
    val selected = SelectBeforeWindow(inputs, trees.expressions, over.tree, emission)
    val tree = selected.tree
    val divided = RelationDivision(inputs, trees.expressions.toSeq, tree, emission, driven)
    val merged = inputs.merged(divided.key)
    val (tables, _) =
      if (inputs.tables.isEmpty) (MergedRows.none, Nil)
      else MergedRows.of(inputs.tables.map(t => (t, t.output)).toSeq, inputs.tables.map(_ => Nil).toSeq)
    val items = inputs.byTag.zipWithIndex.map { case (found, tag) =>
      inputs.input(inputs.streams(found), merged.rows.slotsOf(tag), driven(found))
    }
    RelationWindow(
      RelationQuery(items, renumbered(tree, inputs.byTag), emission),
      inputs.clock,
      Division(divided.place, divided.told),
      merged.key,
      merged.time,
      merged.rows.tag,
      merged.ties,
      merged.batch,
      merged.rows.slots,
      tables.tag,
      tables.slots,
      tables.slotsOf,
      trees.expressions.toSeq,
      over.output,
      added(inputs, merged, tree, divided.place),
      RelationLaws.told(described, selected.told ++ RelationLaws.oneForEachValue(inputs, tree)),
      merged.rows.plan,
      tables.plan
    )
  }

  /** Streams by their place in the merged order instead of the text. */
  private def renumbered(tree: RelationTree, byTag: Seq[Int]): RelationTree = tree match {
    case stream: RelationTree.Stream => stream.copy(input = byTag.indexOf(stream.input))
    case other => other.mapChildren(renumbered(_, byTag))
  }

  private def added(
      inputs: RelationInputs,
      merged: MergedStreams,
      tree: RelationTree,
      place: AnswerPlace): Seq[Attribute] = {
    def number(name: String) = AttributeReference(name, LongType, nullable = false)()
    def places(types: Seq[DataType]) = types.map(AttributeReference("place", _)())
    val evaluation = place match {
      case AnswerPlace.Counted => Seq(number("evaluation"))
      case AnswerPlace.OfArrival => places((merged.rows.tag +: merged.ties).map(_.dataType))
      case AnswerPlace.OfTuples =>
        places(RowPlaces.types(tree, (merged.time.toSeq ++ merged.ties).map(_.dataType)).get)
    }
    inputs.time.map(_ => number("instant")).toSeq ++ evaluation :+ number("number")
  }

  private def fromItems(inputs: RelationInputs): Seq[StreamItem] = {
    val (subqueries, from) = inputs.streams.toSeq.partition(_.inSubquery)
    if (from.isEmpty) subqueries else from
  }

  /** Whether all streams of FROM jump, and at the same time: one of them alone, or all at the same ticks. */
  private def jumpTogether(inputs: RelationInputs): Boolean =
    fromItems(inputs).map(_.window.frequency.pace) match {
      case Seq(Pace.EachTuple) => false
      case Seq(_) => true
      case several =>
        several.forall(_.isInstanceOf[Pace.Ticks]) && several.collect { case Pace.Ticks(grid) =>
          (grid.step, Math.floorMod(grid.origin, grid.step))
        }.distinct.size == 1
    }

  /** Which streams make the query answer; those of subqueries do not when FROM jumps. */
  private def drivers(inputs: RelationInputs, emission: Emission): Int => Boolean = emission match {
    case Emission.All => i => fromItems(inputs).contains(inputs.streams(i))
    case _ => _ => true
  }

  /** The columns that a query uses of what it reads. */
  private def needed(plan: LogicalPlan): AttributeSet = AttributeSet(plan.output ++ used(plan))

  private def used(node: LogicalPlan): Seq[Attribute] =
    node.expressions.flatMap(_.references) ++ node.children.flatMap(used) ++ (node match {
      case union: Union => union.children.flatMap(_.output)
      case operation: SetOperation => operation.children.flatMap(_.output)
      case Distinct(child) => child.output
      case _ => Nil
    })
}
