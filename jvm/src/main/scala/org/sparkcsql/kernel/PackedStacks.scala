package org.sparkcsql.kernel

/**
 * Accumulators that lie side by side in slots of memory, so that no object is made for a row.
 *
 * @tparam R a row, or a partial result that stands for many rows
 * @tparam A what a slot is read as; to be read at once and never changed
 */
trait PackedAggregation[R, A] {

  /** Makes room for so many slots; what the first ones hold stays. */
  def reserve(slots: Int): Unit

  /** Makes the slot one that has seen no row. */
  def create(slot: Int): Unit
  def add(slot: Int, row: R): Unit

  /** Merges into the older one. */
  def merge(older: Int, newer: Int): Unit
  def copy(from: Int, to: Int): Unit
  def read(slot: Int): A
}

/**
 * The two stacks of [[TwoStacksAccumulator]] in one piece of memory, for rows that need not outlive
 * the process. Each row is one slot. Behind `turned` a slot holds its own row alone, before it the
 * total from its row to the newest one that was there when the stacks were turned over.
 */
final class PackedStacks[R, A](memory: PackedAggregation[R, A]) extends SlidingAccumulator[R, A] {
  import PackedStacks._

  private var slots = Fewest
  private var first = Start
  private var turned = Start
  private var end = Start
  memory.reserve(slots)
  memory.create(BackTotal)

  override def push(row: R): Unit = {
    if (end == slots) makeRoom()
    memory.create(end)
    memory.add(end, row)
    memory.merge(BackTotal, end)
    end += 1
  }

  override def pop(): Unit = {
    if (first == turned) turnOver()
    first += 1
    if (first == end) {
      first = Start
      turned = Start
      end = Start
    }
  }

  override def current: A =
    if (first == turned) memory.read(BackTotal)
    else if (turned == end) memory.read(first)
    else {
      memory.copy(first, Whole)
      memory.merge(Whole, BackTotal)
      memory.read(Whole)
    }

  private def turnOver(): Unit = {
    if (first == end) throw new IllegalStateException("an empty window loses no row")
    var slot = end - 2
    while (slot >= first) {
      memory.merge(slot, slot + 1)
      slot -= 1
    }
    turned = end
    memory.create(BackTotal)
  }

  /** Moves the rows to the start if that frees half of the slots, and doubles the memory otherwise. */
  private def makeRoom(): Unit = {
    val free = first - Start
    if (free >= slots / 2) {
      var slot = first
      while (slot < end) {
        memory.copy(slot, slot - free)
        slot += 1
      }
      first -= free
      turned -= free
      end -= free
    } else {
      slots = Math.multiplyExact(slots, 2)
      memory.reserve(slots)
    }
  }
}

private object PackedStacks {
  val BackTotal = 0
  val Whole = 1
  val Start = 2
  val Fewest = 16
}
