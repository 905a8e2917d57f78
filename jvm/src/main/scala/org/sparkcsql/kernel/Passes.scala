package org.sparkcsql.kernel

/** One tuple, or one slice of tuples, of a group on its way through a pass. */
final case class Item[R](place: Place, row: R)

/**
 * Evaluates one group at given points. The items come in window order. Calls `emit` with the index
 * of each point at which the group has a row, or at all points when `alsoWhenEmpty`.
 */
final class JumpPass[R, A](
    reach: Reach,
    points: Points,
    state: WindowState[R, A],
    alsoWhenEmpty: Boolean) {

  def run(items: Iterator[Item[R]]): Iterator[(Int, A)] = new Iterator[(Int, A)] {
    private val source = items.buffered
    private var point = -1
    private var ready = false

    override def hasNext: Boolean = {
      if (!ready) ready = advance()
      ready
    }

    override def next(): (Int, A) = {
      if (!hasNext) throw new NoSuchElementException
      ready = false
      (point, state.current)
    }

    private def advance(): Boolean = {
      var found = false
      while (!found && step()) {
        // first, so that nothing is added up that no window holds: it might overflow
        state.evict(points.seq(point), points.time(point))
        while (source.hasNext && arrived(source.head.place)) {
          val item = source.next()
          state.insert(item.place, item.row)
        }
        state.evict(points.seq(point), points.time(point))
        found = alsoWhenEmpty || !state.isEmpty
      }
      found
    }

    /** Moves to the next point worth looking at. */
    private def step(): Boolean = {
      point += 1
      if (!alsoWhenEmpty && state.isEmpty) {
        point =
          if (source.hasNext) points.firstSeeing(source.head.place, reach, math.min(point, points.length))
          else points.length
      }
      point < points.length
    }

    private def arrived(place: Place): Boolean =
      reach.arrived(place.enter, place.time, points.seq(point), points.time(point))
  }
}

/** Slides over one group: at each arrival the window moves, and then takes in the items that come with it. */
final class SlidePass[R, A](state: WindowState[R, A]) {

  /** Whether the window holds nothing of the group before the items come. */
  def arrive(atSeq: Long, atTime: Long): Boolean = {
    state.evict(atSeq, atTime)
    state.isEmpty
  }
  def insert(place: Place, row: R): Unit = state.insert(place, row)
  def current: A = state.current
  def size: Long = state.size
}
