package org.sparkcsql.kernel

/**
 * How rows of a window become one accumulator. `merge` must be associative; it need not commute,
 * and the kernel always merges an older part with a newer one.
 *
 * @tparam R a row, or a partial result that stands for many rows
 * @tparam A a mutable accumulator
 */
trait Aggregation[R, A] {
  def create(): A
  def add(accumulator: A, row: R): Unit
  def merge(older: A, newer: A): Unit
  def copy(accumulator: A): A
}

/** The aggregates of the rows that are in a window now. Rows come and go in order: first in, first out. */
trait SlidingAccumulator[R, A] {
  def push(row: R): Unit

  /** Forgets the oldest row. */
  def pop(): Unit

  /** The accumulator of what is left; to be read at once and never changed. */
  def current: A
}
