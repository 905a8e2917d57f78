package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.LongType
import org.sparkcsql.kernel.changes.BagKind
import org.sparkcsql.plan._
import org.sparkcsql.stream.RowPlaces

/**
 * How a query over several windows is divided between tasks.
 *
 * @param key for each part of the key, what it is in each stream as it was found
 * @param told the key, or why there is none
 */
private[analyze] final case class RelationDivision(
    key: Seq[Seq[Expression]],
    place: AnswerPlace,
    told: String)

/**
 * Rows may be divided by a key when rows that meet agree on it, which [[RelationKeys]] finds, and when
 * no task needs to know what happens to the others. A task knows the instants at which its own windows
 * change, not those of others.
 *  - By default each tuple makes an answer, of rows that it is part of. That is its task's alone, unless
 *    rows appear when time passes: those come with the next tuple of any key.
 *  - ISTREAM and DSTREAM tell changes; where nothing changes they tell nothing. But rows that are equal
 *    cancel each other, so the key must be seen in the row.
 *  - RSTREAM, and jumps together, tell all rows at an instant. Where all windows run empty by
 *    themselves and answer at the same ticks, or hold no longer than the instant, a task without a
 *    change then has no rows.
 */
private[analyze] object RelationDivision {

  /** @param drives whether a stream, as it was found, makes the query answer */
  def apply(
      inputs: RelationInputs,
      expressions: Seq[Expression],
      tree: RelationTree,
      emission: Emission,
      drives: Int => Boolean): RelationDivision = {
    val items = inputs.streams.toSeq
    val found = for {
      _ <-
        if (inputs.time.isDefined) Right(()) else Left("without a time, tuples are told by their order alone")
      _ <- emission match {
        case Emission.New | Emission.Distinct if answersByTuple(items, tree) => Right(())
        case Emission.New | Emission.Distinct =>
          Left("rows that appear as time passes, or at jumps, are told with the next tuple of any key")
        case Emission.All => allRows(items.indices.filter(drives).map(items).forall(runsEmpty), tree)
        case Emission.Operator(StreamOperator.Relation, _) =>
          allRows(items.forall(isNow) || sameTicks(items), tree)
        case _ => ranked(tree)
      }
      keys <- new RelationKeys(inputs, expressions).of(tree)
      usable <- visible(keys, emission)
    } yield usable
    found match {
      case Left(why) => RelationDivision(Nil, AnswerPlace.Counted, why)
      case Right(keys) =>
        val chosen = keys.map(_.in(inputs)).distinct.take(Most)
        val place = emission match {
          case Emission.New | Emission.Distinct => AnswerPlace.OfArrival
          case _ => AnswerPlace.OfTuples
        }
        RelationDivision(chosen, place, chosen.map(_.map(_.sql).distinct.mkString(" = ")).mkString(", "))
    }
  }

  private type Checked = Either[String, Unit]

  /** More columns of a key would only be more to look at. */
  private val Most = 4

  /** Whether by default each answer is made of rows of the tuple that has come, and of nothing else. */
  def answersByTuple(items: Seq[StreamItem], tree: RelationTree): Boolean =
    items.forall(item => item.window.frequency.pace == Pace.EachTuple && entersAtOnce(item)) && grows(tree)

  private def allRows(locally: Boolean, tree: RelationTree): Checked =
    if (locally) ranked(tree) else Left("all rows are told at instants that tuples of any key make")

  private def ranked(tree: RelationTree): Checked =
    if (RowPlaces.types(tree, Seq(LongType)).isDefined) Right(())
    else Left("rows are ranked, or compared as a whole")

  private def visible(keys: Seq[RelationKey], emission: Emission): Either[String, Seq[RelationKey]] =
    emission match {
      case Emission.Operator(StreamOperator.Inserted | StreamOperator.Deleted, compared) =>
        val seen = keys.filter(_.seen.exists(_.forall(_ < compared)))
        if (seen.isEmpty)
          Left("equal rows of different keys cancel each other: the key is not in the SELECT list")
        else Right(seen)
      case _ => Right(keys)
    }

  private def entersAtOnce(item: StreamItem): Boolean = item.window.extent match {
    case Extent.Time(_, lag) => lag == 0
    case _ => true
  }

  private def runsEmpty(item: StreamItem): Boolean = item.window.extent.isInstanceOf[Extent.Time]

  def isNow(item: StreamItem): Boolean =
    item.window.extent == Extent.Time(1, 0) && item.window.frequency.pace == Pace.EachTuple

  private def sameTicks(items: Seq[StreamItem]): Boolean = items.forall(runsEmpty) && {
    val paces = items.map(_.window.frequency.pace).distinct
    paces.size == 1 && paces.head.isInstanceOf[Pace.Ticks]
  }

  /** Whether rows come only with the tuples they are made of, and go for good. */
  private def grows(tree: RelationTree): Boolean = {
    import RelationTree._
    def rows(node: RelationTree): Boolean = node.children.forall(rows) && (node match {
      case _: Stream | _: Table | _: Select | _: Compute | _: Expand => true
      case Join(kind, _, left, right) =>
        (!kind.keepsLeft || RelationKeys.isTable(right)) && (!kind.keepsRight || RelationKeys.isTable(left))
      case Bag(BagKind.UnionAll, _, _) => true
      case _ => false
    })
    def bags(node: RelationTree): Boolean = node match {
      case Bag(BagKind.Intersect | BagKind.IntersectAll | BagKind.UnionAll, left, right) =>
        bags(left) && bags(right)
      case Distinct(Bag(BagKind.UnionAll, left, right)) => bags(left) && bags(right)
      case other => rows(other)
    }
    tree match {
      case group: Group => rows(group.child)
      case bag: Bag => bags(bag)
      case other => rows(other)
    }
  }
}
