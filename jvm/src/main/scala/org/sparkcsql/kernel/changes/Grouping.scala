package org.sparkcsql.kernel.changes

import java.util.{Comparator, HashMap, HashSet, LinkedHashSet, TreeMap}

/** Adds up the rows of a group. */
trait Folding[R, B] {
  def create(): B
  def add(buffer: B, row: R): Unit

  /** Whether rows can be taken out again, exactly; otherwise the group's rows are kept and added up anew. */
  def removes: Boolean
  def remove(buffer: B, row: R): Unit
  def result(key: R, buffer: B): R
}

/**
 * A group that got a row it did not have.
 *
 * @param id that of the group's own row
 * @param first the first of these rows
 * @param isNew whether it has no others
 */
final case class FreshGroup[R](key: R, id: RowId, row: R, first: RowId, isNew: Boolean)

/**
 * GROUP BY over a relation that changes. The groups that were touched are added up when the instant is complete.
 *
 * @param whole whether there is one group, which is there without rows too
 * @param tracks whether somebody wants to know which groups got rows
 */
final class Grouping[R <: AnyRef, B](
    keyOf: R => R,
    folding: Folding[R, B],
    order: Comparator[R],
    whole: Boolean,
    tracks: Boolean,
    out: Receiver[R])
    extends Receiver[R]
    with Settling {

  private final class Group(val key: R) {
    var count = 0L
    var version = 0L
    var buffer: B = folding.create()

    /** The rows of a group that rows cannot be taken out of, and whether the buffer holds just these. */
    val rows: TreeMap[RowId, R] = if (folding.removes) null else new TreeMap[RowId, R]
    var isAdded = true
    var shown: Option[(RowId, R)] = None
    lazy val (come, gone) = (new HashSet[RowId], new HashSet[RowId])
  }

  private val groups = new HashMap[R, Group]
  private val touched = new LinkedHashSet[Group]
  private var isEmpty = true

  override def insert(id: RowId, row: R): Unit = {
    val group = groupOf(row)
    group.count += 1
    if (folding.removes) folding.add(group.buffer, row)
    else {
      val last = group.isAdded && (group.rows.isEmpty || group.rows.lastKey.compareTo(id) < 0)
      if (last) folding.add(group.buffer, row)
      group.isAdded = last
      group.rows.put(id, row)
    }
    if (tracks && !group.gone.remove(id)) group.come.add(id)
  }

  override def delete(id: RowId, row: R): Unit = {
    val group = groupOf(row)
    group.count -= 1
    if (folding.removes) folding.remove(group.buffer, row)
    else {
      group.rows.remove(id)
      group.isAdded = false
    }
    if (tracks && !group.come.remove(id)) group.gone.add(id)
  }

  private def groupOf(row: R): Group = {
    val key = keyOf(row)
    val group = groups.computeIfAbsent(key, new Group(_))
    touched.add(group)
    group
  }

  override def settle(): Unit = {
    if (whole && isEmpty) {
      isEmpty = false
      touched.add(groups.computeIfAbsent(keyOf(null.asInstanceOf[R]), new Group(_)))
    }
    touched.forEach(group => show(group))
    if (!tracks) touched.clear()
  }

  private def show(group: Group): Unit = {
    group.shown.foreach { case (id, row) => out.delete(id, row) }
    group.shown = None
    if (group.count > 0 || whole) {
      group.version += 1
      val shown = (new GroupId(group.key, group.version, order), folding.result(group.key, added(group)))
      group.shown = Some(shown)
      out.insert(shown._1, shown._2)
    } else groups.remove(group.key)
  }

  private def added(group: Group): B = {
    if (!group.isAdded) {
      group.buffer = folding.create()
      group.rows.values.forEach(row => folding.add(group.buffer, row))
      group.isAdded = true
    }
    group.buffer
  }

  /** The groups that got rows since this was asked last, in order; to be asked when the instant is settled. */
  def fresh(): Seq[FreshGroup[R]] = {
    val found = Seq.newBuilder[FreshGroup[R]]
    touched.forEach { group =>
      if (!group.come.isEmpty)
        group.shown.foreach { case (id, row) =>
          val first = java.util.Collections.min(group.come)
          found += FreshGroup(group.key, id, row, first, isNew = group.come.size == group.count)
        }
      group.come.clear()
      group.gone.clear()
    }
    touched.clear()
    found.result().sortWith((a, b) => order.compare(a.key, b.key) < 0)
  }
}
