package org.sparkcsql.kernel.changes

import java.util.{HashMap, LinkedHashSet, TreeMap}

/** How often a row is in the result of a set operation, given how often it is in both sides. */
sealed trait BagKind extends Product with Serializable {
  def count(left: Long, right: Long): Long
}
object BagKind {
  case object UnionAll extends BagKind {
    override def count(left: Long, right: Long): Long = left + right
  }
  case object Union extends BagKind {
    override def count(left: Long, right: Long): Long = math.min(1, left + right)
  }
  case object IntersectAll extends BagKind {
    override def count(left: Long, right: Long): Long = math.min(left, right)
  }
  case object Intersect extends BagKind {
    override def count(left: Long, right: Long): Long = math.min(1, math.min(left, right))
  }
  case object ExceptAll extends BagKind {
    override def count(left: Long, right: Long): Long = math.max(0, left - right)
  }
  case object Except extends BagKind {
    override def count(left: Long, right: Long): Long = if (left > 0 && right == 0) 1 else 0
  }
}

/** INTERSECT and EXCEPT of relations that change; equal rows count, whatever they come from. */
final class Bagging[R](kind: BagKind, out: Receiver[R]) {
  private final class Value(val number: Long) {
    var left = 0L
    var right = 0L
    var shown = 0L
  }
  private val values = new HashMap[R, Value]
  private var numbers = 0L

  val left: Receiver[R] = new Side {
    override def move(value: Value, by: Long): Unit = value.left += by
  }
  val right: Receiver[R] = new Side {
    override def move(value: Value, by: Long): Unit = value.right += by
  }

  private abstract class Side extends Receiver[R] {
    def move(value: Value, by: Long): Unit
    override def insert(id: RowId, row: R): Unit = change(row, 1)
    override def delete(id: RowId, row: R): Unit = change(row, -1)

    private def change(row: R, by: Long): Unit = {
      val value = values.computeIfAbsent(
        row,
        _ => {
          numbers += 1
          new Value(numbers)
        })
      move(value, by)
      val wanted = kind.count(value.left, value.right)
      while (value.shown < wanted) {
        value.shown += 1
        out.insert(copy(value), row)
      }
      while (value.shown > wanted) {
        out.delete(copy(value), row)
        value.shown -= 1
      }
      if (value.left == 0 && value.right == 0) values.remove(row)
    }

    private def copy(value: Value): RowId = new PairId(new TupleId(value.number), new TupleId(value.shown))
  }
}

/** DISTINCT over a relation that changes: of equal rows the first one. */
final class Deduplicating[R](out: Receiver[R]) extends Receiver[R] with Settling {
  private final class Value(val row: R) {
    val ids = new TreeMap[RowId, Unit]
    var shown: Option[RowId] = None
  }
  private val values = new HashMap[R, Value]
  private val touched = new LinkedHashSet[Value]

  override def insert(id: RowId, row: R): Unit = of(row).ids.put(id, ())
  override def delete(id: RowId, row: R): Unit = of(row).ids.remove(id)
  override def needs(row: R): Boolean = !values.containsKey(row)

  private def of(row: R): Value = {
    val value = values.computeIfAbsent(row, new Value(_))
    touched.add(value)
    value
  }

  override def settle(): Unit = {
    touched.forEach { value =>
      val first = if (value.ids.isEmpty) None else Some(value.ids.firstKey)
      if (first != value.shown) {
        value.shown.foreach(out.delete(_, value.row))
        first.foreach(out.insert(_, value.row))
        value.shown = first
      }
      if (first.isEmpty) values.remove(value.row)
    }
    touched.clear()
  }
}

/** ORDER BY … LIMIT over a relation that changes. */
final class Topping[R](order: Ordering[R], limit: Int, offset: Int, out: Receiver[R])
    extends Receiver[R]
    with Settling {
  private val all = new TreeMap[(R, RowId), R]((a, b) => {
    val byOrder = order.compare(a._1, b._1)
    if (byOrder != 0) byOrder else a._2.compareTo(b._2)
  })
  private var shown = Seq.empty[(RowId, R)]
  private var isTouched = false

  override def insert(id: RowId, row: R): Unit = {
    all.put((row, id), row)
    isTouched = true
  }
  override def delete(id: RowId, row: R): Unit = {
    all.remove((row, id))
    isTouched = true
  }

  override def settle(): Unit = if (isTouched) {
    isTouched = false
    val top = Seq.newBuilder[(RowId, R)]
    val rows = all.values.iterator
    var rank = 0L
    while (rank < offset.toLong + limit && rows.hasNext) {
      val row = rows.next()
      if (rank >= offset) top += ((new TupleId(rank), row))
      rank += 1
    }
    val now = top.result()
    shown.filterNot(now.toSet).foreach { case (id, row) => out.delete(id, row) }
    now.filterNot(shown.toSet).foreach { case (id, row) => out.insert(id, row) }
    shown = now
  }
}
