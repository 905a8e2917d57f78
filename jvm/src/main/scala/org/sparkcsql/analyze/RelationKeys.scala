package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression}
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.types._
import org.sparkcsql.kernel.changes.ExistenceKind
import org.sparkcsql.plan._

/**
 * Something that all rows which meet in an operator agree on.
 *
 * @param of what it is in each stream, over the places of its columns
 * @param same what it is in the operator's own rows, over the places of theirs
 * @param seen places of columns of these rows which tell it, together; any of these sets does
 */
private[analyze] final case class RelationKey(
    of: Map[Int, Expression],
    same: Set[Expression],
    seen: Set[Set[Int]]) {

  /** The key in each stream, over its columns. */
  def in(inputs: RelationInputs): Seq[Expression] = inputs.streams.indices.map { input =>
    val columns = inputs.streams(input).columns
    ComparedByBytes.normalized(of(input).transform { case BoundReference(place, _, _) => columns(place) })
  }
}

/** Finds what the rows of a query over several windows can be divided by; on the left why there is nothing. */
private[analyze] final class RelationKeys(inputs: RelationInputs, expressions: Seq[Expression]) {
  import RelationKeys.{isPlain, isTable}
  import RelationTree._

  /** The keys of an operator; every task has all rows of one that has only tables below it. */
  private type Keys = Either[String, Seq[RelationKey]]

  def of(tree: RelationTree): Keys = tree match {
    case tables if isTable(tables) => Right(Nil)
    case Stream(input, types) => ofStream(input, types.length)
    case Select(_, child) => of(child)
    case Compute(list, _, child) => of(child).map(computed(Seq(list), _))
    case Expand(lists, _, child) => of(child).map(computed(lists, _))
    case join: Join => joined(join)
    case Value(on, left, right) => existing(on, left, right, shows = false)
    case Exists(kind, on, _, left, right) => existing(on, left, right, kind == ExistenceKind.Semi)
    case Group(Nil, _, _, _) => Left("there is one group of all rows")
    case Group(keys, _, _, child) =>
      some(of(child).map(lifted(keys, _)), "groups hold rows of different keys")
    case Distinct(child) => some(of(child).map(_.filter(_.seen.nonEmpty)), RelationKeys.Unseen)
    case Bag(_, left, right) if isTable(left) || isTable(right) =>
      Left("a table is a side of a set operation")
    case Bag(_, left, right) => united(left, right)
    case _: Top => Left("the first of all rows are taken")
    case table: Table => throw new IllegalStateException(s"$table is a table")
  }

  private def some(keys: Keys, otherwise: String): Keys = keys.filterOrElse(_.nonEmpty, otherwise)

  /** Any column, unless tuples are counted. */
  private def ofStream(input: Int, columns: Int): Keys = {
    val item = inputs.streams(input)
    val places = item.window.extent match {
      case _: Extent.Tuples =>
        RelationInputs.partition(item.window).map(c => item.columns.indexWhere(_.exprId == c.exprId))
      case _ => 0 until columns
    }
    if (item.window.frequency.pace.isInstanceOf[Pace.EveryTuples])
      Left(s"${item.name} jumps by the count of all its tuples")
    else if (places.isEmpty) Left(s"the window of ${item.name} holds the last of all its tuples")
    else {
      val keys = places.filter(p => isPlain(item.columns(p).dataType)).map { place =>
        val column = BoundReference(place, item.columns(place).dataType, nullable = true)
        RelationKey(Map(input -> column), Set(column), Set(Set(place)))
      }
      some(Right(keys), s"the columns of ${item.name} cannot be told apart by their bytes")
    }
  }

  /** Keys in the places of the columns that are made of theirs. */
  private def computed(lists: Seq[Seq[Int]], keys: Seq[RelationKey]): Seq[RelationKey] = {
    val kept = lists.transpose.zipWithIndex.collect {
      case (made, place) if made.forall(n => expressions(n) == expressions(made.head)) => (made.head, place)
    }
    def moved(set: Set[Int]): Option[Set[Int]] = {
      val places = set.map(p =>
        kept.collectFirst {
          case (made, place) if isColumn(expressions(made), p) => place
        })
      if (places.forall(_.isDefined)) Some(places.flatten) else None
    }
    val told = keys.map(key => key.copy(same = Set.empty, seen = key.seen.flatMap(moved(_))))
    val columns = kept.flatMap { case (made, place) => lift(expressions(made), keys).map(at(_, place)) }
    val all = told ++ columns
    all.map(_.of).distinct.map { of =>
      val ways = all.filter(_.of == of)
      RelationKey(of, ways.flatMap(_.same).toSet, ways.flatMap(_.seen).toSet)
    }
  }

  private def isColumn(expression: Expression, place: Int): Boolean = expression match {
    case BoundReference(at, _, _) => at == place
    case _ => false
  }

  /** A key that is a column. */
  private def at(key: RelationKey, place: Int): RelationKey = {
    val column = BoundReference(place, key.of.values.head.dataType, nullable = true)
    key.copy(same = Set(column), seen = Set(Set(place)))
  }

  /** A function of keys is a key. */
  private def lift(expression: Expression, keys: Seq[RelationKey]): Option[RelationKey] = {
    val own = plain(expression)
    val known = keys.find(_.same(own)).orElse(made(own, keys))
    known.filter(_ => isPlain(expression.dataType))
  }

  private def made(expression: Expression, keys: Seq[RelationKey]): Option[RelationKey] = {
    val own = places(expression)
    val known = own.flatMap(p => keys.find(_.same.exists(isColumn(_, p))).map(p -> _)).toMap
    if (own.isEmpty || known.size < own.size) None
    else {
      val of = known.values.head.of.keys.map { input =>
        input -> expression.transformUp { case BoundReference(place, _, _) => known(place).of(input) }
      }
      Some(RelationKey(of.toMap, Set(expression), Set(own)))
    }
  }

  /** Whether a column may be NULL does not tell expressions apart. */
  private def plain(expression: Expression): Expression = moved(expression, 0)

  private def moved(expression: Expression, by: Int): Expression =
    expression.transformUp { case BoundReference(place, of, _) =>
      BoundReference(place + by, of, nullable = true)
    }

  private def lifted(list: Seq[Int], keys: Seq[RelationKey]): Seq[RelationKey] =
    list.zipWithIndex.flatMap { case (n, place) => lift(expressions(n), keys).map(at(_, place)) }

  private def shifted(key: RelationKey, by: Int): RelationKey =
    key.copy(same = key.same.map(moved(_, by)), seen = key.seen.map(_.map(_ + by)))

  private def joined(join: Join): Keys = {
    val (kind, width) = (join.kind, join.left.types.length)
    if (isTable(join.left)) besideTable(kind.keepsLeft, of(join.right).map(_.map(shifted(_, width))))
    else if (isTable(join.right)) besideTable(kind.keepsRight, of(join.left))
    else some(
      paired(join.on, join.left, join.right) { (left, own) =>
        val right = shifted(own, width)
        (kind.keepsLeft, kind.keepsRight) match {
          case (false, false) => (left.same ++ right.same, left.seen ++ right.seen)
          case (true, false) => (left.same, left.seen)
          case (false, true) => (right.same, right.seen)
          case (true, true) => (Set.empty, for (a <- left.seen; b <- right.seen) yield a ++ b)
        }
      },
      "the join compares rows of different keys"
    )
  }

  private def besideTable(keepsTable: Boolean, keys: Keys): Keys =
    if (keepsTable) Left(RelationKeys.Kept) else keys

  /** @param shows whether a left row is there because of a right one */
  private def existing(on: On, left: RelationTree, right: RelationTree, shows: Boolean): Keys =
    if (isTable(right)) of(left)
    else if (isTable(left) && !shows) Left(RelationKeys.Kept)
    else some(
      if (isTable(left)) of(right).map(ofRight(on, _))
      else paired(on, left, right)((l, _) => (l.same, l.seen)),
      "a subquery is compared with rows of different keys")

  /** Keys of rows of a table that are there because of those of a stream. */
  private def ofRight(on: On, keys: Seq[RelationKey]): Seq[RelationKey] =
    on.left.zip(on.right).flatMap { case (l, r) =>
      lift(expressions(r), keys).map(
        _.copy(same = Set(plain(expressions(l))), seen = Set(places(expressions(l)))))
    }

  private def places(expression: Expression): Set[Int] =
    expression.collect { case BoundReference(place, _, _) => place }.toSet

  /** Keys of both sides that must be equal. */
  private def paired(on: On, left: RelationTree, right: RelationTree)(
      told: (RelationKey, RelationKey) => (Set[Expression], Set[Set[Int]])): Keys =
    for (lefts <- of(left); rights <- of(right)) yield on.left.zip(on.right).flatMap { case (l, r) =>
      for (a <- lift(expressions(l), lefts); b <- lift(expressions(r), rights))
        yield {
          val (same, seen) = told(a, b)
          RelationKey(a.of ++ b.of, same, seen)
        }
    }

  /** What stands at the same place on both sides. */
  private def united(left: RelationTree, right: RelationTree): Keys =
    for (lefts <- of(left); rights <- some(of(right), RelationKeys.Unseen);
      keys <- {
        val same = left.types.indices.flatMap { place =>
          def here(keys: Seq[RelationKey]) = keys.find(_.same.exists(isColumn(_, place)))
          for (a <- here(lefts); b <- here(rights)) yield at(a.copy(of = a.of ++ b.of), place)
        }
        some(Right(same), RelationKeys.Unseen)
      }) yield keys
}

private[analyze] object RelationKeys {

  /** Whether nothing below changes, so that every task has the same rows. */
  def isTable(tree: RelationTree): Boolean =
    tree.isInstanceOf[RelationTree.Table] || (tree.children.nonEmpty && tree.children.forall(isTable))

  /** Whether equal values have equal bytes. */
  def isPlain(dataType: DataType): Boolean = dataType match {
    case text: StringType => UnsafeRowUtils.isBinaryStable(text)
    case _: NumericType | BinaryType | BooleanType => true
    case DateType | TimestampType | TimestampNTZType | _: TimeType => true
    case _: DayTimeIntervalType | _: YearMonthIntervalType => true
    case _ => false
  }

  private val Kept = "a table's rows without a partner are kept"
  private val Unseen = "rows of different keys may be equal"
}
