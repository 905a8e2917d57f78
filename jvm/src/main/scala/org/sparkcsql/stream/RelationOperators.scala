package org.sparkcsql.stream

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.DataType
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.kernel.changes._
import org.sparkcsql.plan._

/** Makes the operators of a query over several windows, from its answer down to the windows. */
private final class RelationOperators(
    program: StreamProgram.Relations,
    partition: Int,
    sink: AnswerSink[UnsafeRow]) {
  private type Row = UnsafeRow
  private val query = program.query
  private val rows = new RelationRows(program.expressions, partition)
  private val operators = new ArrayBuffer[Settling]
  private val streams = new Array[Receiver[Row]](query.inputs.length)
  private val tables = new Array[Receiver[Row]](program.tableColumns.length)

  private val answering: Answering = (query.emission, query.tree) match {
    case (Emission.New | Emission.Distinct, group: RelationTree.Group) =>
      val groups = new NewGroups[Row](query.emission == Emission.Distinct, sink)
      groups.grouping = grouping(group, tracks = true, Nowhere)
      groups
    case (Emission.New, bag: RelationTree.Bag) =>
      new NewOfBags(counted(bag), rows.natural(bag.types), sink)
    case (Emission.New | Emission.Distinct, tree) =>
      val answer = new NewRows[Row](sink)
      build(tree, answer.changes)
      answer
    case (Emission.All, tree) => all(tree)
    case (Emission.Operator(StreamOperator.Relation, _), tree) => all(tree)
    case (Emission.Operator(operator, compared), tree) =>
      val value = rows.compared(compared, tree.types)
      val answer = new Differences[Row](operator == StreamOperator.Inserted, value, sink)
      build(tree, answer.changes)
      answer
  }

  private def all(tree: RelationTree): Answering = {
    val answer = new AllRows[Row](sink)
    build(tree, answer)
    answer
  }

  def table(number: Int): Receiver[UnsafeRow] = tables(number)

  def clock(
      codecs: IndexedSeq[HeldCodec[Row]],
      keeping: Int => Keeping[Row],
      keeps: Boolean,
      timed: Boolean): RelationClock[Row] = {
    val remembers = keeps && !query.emission.onInstants &&
      query.inputs.exists(input => !input.evaluates || input.pace != ItemPace.Slides)
    val items = query.inputs.zipWithIndex.map { case (input, i) =>
      new WindowItem[Row](
        input.pace,
        input.evaluates,
        remembers,
        codecs(i),
        contents(input, keeping(i), _),
        streams(i))
    }
    new RelationClock(items.toIndexedSeq, operators.toSeq, query.emission.onInstants, timed, answering)
  }

  private def contents(input: RelationInput, keeping: Keeping[Row], out: Receiver[Row]): Contents[Row] =
    input.extent match {
      case ItemExtent.Time(length, lag) => new TimeContents(length, lag, keeping, out)
      case ItemExtent.Band(from, until) => new BandContents(from, until, keeping, out)
      case ItemExtent.Tuples(count, lag, Nil) => new TupleContents(count, lag, keeping, out)
      case ItemExtent.Tuples(count, lag, by) =>
        val types = input.slots.map(program.slots(_).dataType)
        new PartitionedContents[Row](count, lag, rows.columns(by, types), keeping, out)
    }

  /** Makes the operators of a tree; children settle before what is above them. */
  private def build(tree: RelationTree, out: Receiver[Row]): Unit = tree match {
    case RelationTree.Stream(input, _) => streams(input) = out
    case RelationTree.Table(table, _) => tables(table) = out
    case RelationTree.Select(condition, child) => build(child, new Selecting(rows.condition(condition), out))
    case RelationTree.Compute(list, _, child) => build(child, new Computing(rows.row(list), out))
    case RelationTree.Expand(lists, _, child) =>
      val parts = lists.map(rows.row)
      build(child, new Expanding[Row](row => parts.map(_(row)), out))
    case RelationTree.Join(kind, on, left, right) =>
      val joining = new Joining(kind, joinRows(on, left.types, right.types), out)
      both(left, joining.left, right, joining.right)
    case RelationTree.Value(on, left, right) =>
      val valuing = new Valuing(joinRows(on, left.types, right.types), out)
      both(left, valuing.left, right, valuing.right)
      operators += valuing
    case RelationTree.Exists(kind, on, types, left, right) =>
      val flagged = if (kind == ExistenceKind.Flag) rows.flagged(types) else (row: Row, _: Boolean) => row
      val existing = new Existing(kind, joinRows(on, left.types, right.types), flagged, out)
      both(left, existing.left, right, existing.right)
    case group: RelationTree.Group => grouping(group, tracks = false, out): Unit
    case RelationTree.Distinct(child) =>
      val distinct = new Deduplicating(out)
      build(child, distinct)
      operators += distinct
    case RelationTree.Bag(BagKind.UnionAll, left, right) =>
      both(left, new Uniting(0, out), right, new Uniting(1, out))
    case RelationTree.Bag(kind, left, right) =>
      val bagging = new Bagging(kind, out)
      both(left, bagging.left, right, bagging.right)
    case RelationTree.Top(order, limit, offset, child) =>
      val top = new Topping(rows.order(order), limit, offset, out)
      build(child, top)
      operators += top
  }

  private def both(
      left: RelationTree,
      toLeft: Receiver[Row],
      right: RelationTree,
      toRight: Receiver[Row]): Unit = {
    build(left, toLeft)
    build(right, toRight)
  }

  private def joinRows(
      on: RelationTree.On,
      left: Seq[DataType],
      right: Seq[DataType]): JoinRows[Row] = new JoinRows[Row](
    on.unknown.fold(rows.key(on.left, on.nullSafe))(pair => rows.unknownKey(pair._1)),
    on.unknown.fold(rows.key(on.right, on.nullSafe))(pair => rows.unknownKey(pair._2)),
    on.condition.map(rows.pairCondition(_)),
    rows.pair(left, right),
    () => throw CsqlErrors.runtime("CSQL_SUBQUERY_ROWS")
  )

  private def grouping(group: RelationTree.Group, tracks: Boolean, out: Receiver[Row]): Grouping[Row, _] = {
    val folding = rows.folding(group)
    val operator = new Grouping(
      rows.groupKey(group.keys),
      folding,
      rows.natural(group.types.take(group.keys.length)),
      whole = group.keys.isEmpty,
      tracks,
      out)
    build(group.child, operator)
    operators += operator
    operator
  }

  private def counted(tree: RelationTree): CountedBag[Row] = tree match {
    case RelationTree.Bag(kind, left, right) => new CountedBags(kind, counted(left), counted(right))
    case RelationTree.Distinct(RelationTree.Bag(BagKind.UnionAll, left, right)) =>
      new CountedBags(BagKind.Union, counted(left), counted(right))
    case other =>
      val side = new CountedSide[Row]
      build(other, side)
      side
  }
}

/** Where rows go that nobody asks for. */
private object Nowhere extends Receiver[UnsafeRow] {
  override def insert(id: RowId, row: UnsafeRow): Unit = ()
  override def delete(id: RowId, row: UnsafeRow): Unit = ()
}
