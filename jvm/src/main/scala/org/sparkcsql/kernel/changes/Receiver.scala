package org.sparkcsql.kernel.changes

/** Takes the changes of a relation, one by one. */
trait Receiver[R] {
  def insert(id: RowId, row: R): Unit
  def delete(id: RowId, row: R): Unit

  /** Whether a row that would stay for ever changes anything, now or later. Otherwise nobody need keep it. */
  def needs(row: R): Boolean = true

  /** A row has come that was not needed. */
  def notice(): Unit = ()
}

/** An operator that does part of its work when all changes of an instant have come. */
trait Settling {
  def settle(): Unit
}

/** Gives on the rows that a condition holds for. */
final class Selecting[R](condition: R => Boolean, out: Receiver[R]) extends Receiver[R] {
  override def insert(id: RowId, row: R): Unit = if (condition(row)) out.insert(id, row)
  override def delete(id: RowId, row: R): Unit = if (condition(row)) out.delete(id, row)
  override def needs(row: R): Boolean = condition(row) && out.needs(row)
}

/** Gives on another row for each row. */
final class Computing[R](compute: R => R, out: Receiver[R]) extends Receiver[R] {
  override def insert(id: RowId, row: R): Unit = out.insert(id, compute(row))
  override def delete(id: RowId, row: R): Unit = out.delete(id, compute(row))
  override def needs(row: R): Boolean = out.needs(compute(row))
}

/** Gives on several rows for each row. */
final class Expanding[R](compute: R => Seq[R], out: Receiver[R]) extends Receiver[R] {
  override def insert(id: RowId, row: R): Unit =
    compute(row).zipWithIndex.foreach { case (part, i) => out.insert(within(id, i), part) }
  override def delete(id: RowId, row: R): Unit =
    compute(row).zipWithIndex.foreach { case (part, i) => out.delete(within(id, i), part) }

  private def within(id: RowId, i: Int): RowId = new PairId(id, new TupleId(i))
}

/** One side of UNION ALL. */
final class Uniting[R](side: Int, out: Receiver[R]) extends Receiver[R] {
  override def insert(id: RowId, row: R): Unit = out.insert(new SideId(side, id), row)
  override def delete(id: RowId, row: R): Unit = out.delete(new SideId(side, id), row)
}
