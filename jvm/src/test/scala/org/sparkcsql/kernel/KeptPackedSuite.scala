package org.sparkcsql.kernel

import scala.collection.mutable
import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

/** Windows in chunks of memory are the windows by definition, however often they are put away and taken out again. */
class KeptPackedSuite extends AnyFunSuite {

  /** Where an accumulator lies: the digits of its values in order, as a remainder, and how many there are. */
  private final class Cell(memory: Array[Long], at: Int) {
    def digits: Long = memory(at)
    def count: Long = memory(at + 1)
    def append(more: Long, howMany: Long): Unit = {
      memory(at) = ((1L to howMany).foldLeft(digits)((d, _) => d * 10 % Modulus) + more) % Modulus
      memory(at + 1) = count + howMany
    }
    def told: (Long, Long) = (digits, count)
  }
  private val Modulus = 1000000007L

  private def cellOf(values: Iterable[Long]): Cell = {
    val cell = new Cell(new Array[Long](2), 0)
    values.foreach(cell.append(_, 1))
    cell
  }

  private object Digits extends WordAggregation[Cell] {
    override def words: Int = 2
    override def create(memory: Array[Long], at: Int): Unit = write(memory, at, cellOf(Nil))
    override def write(memory: Array[Long], at: Int, part: Cell): Unit = {
      memory(at) = part.digits
      memory(at + 1) = part.count
    }
    override def merge(memory: Array[Long], at: Int, newer: Cell): Unit =
      view(memory, at).append(newer.digits, newer.count)
    override def merge(older: Array[Long], olderAt: Int, newer: Array[Long], newerAt: Int): Unit =
      merge(older, olderAt, view(newer, newerAt))
    override def view(memory: Array[Long], at: Int): Cell = new Cell(memory, at)
  }

  /** A window, and all of its tuples with their places, those that have left it too. */
  private final class Tried(random: Random) {
    private val byTime = random.nextBoolean()
    private val lag = if (random.nextInt(3) == 0) 1L + random.nextInt(4) else 0L
    private val count = 1L + random.nextInt(40)
    private val reach = if (byTime) Reach(lag, count) else Reach.untimed
    private val (sliced, slice) = if (random.nextInt(3) == 0) (true, 1L + random.nextInt(4)) else (false, 1L)
    private val chunk = 1 << random.nextInt(4)
    private val axes = PlaceWords(enter = lag > 0 && !byTime, leave = !byTime, byTime)
    private val tuples = mutable.ArrayBuffer.empty[(Place, Long)]
    private var (number, time) = (0L, 0L)
    private val shelf = new MapShelf
    private var window = made

    private def made = new KeptPacked(reach, lag > 0, sliced, Digits, axes, shelf, chunk)
    override def toString: String =
      s"by time $byTime, lag $lag, count $count, slices $sliced $slice, chunks of $chunk"

    private def up(at: Long): Long = Grid(0, slice).tickAtOrAfter(at)

    /** An evaluation sees whole slices. */
    private def advance(): Unit = {
      number = up(number)
      time = up(time)
      window.advance(number, time)
      val inside = tuples.collect {
        case (p, value)
            if reach.arrived(p.enter, p.time, number, time) && !reach.gone(p.leave, p.time, number, time) =>
          value
      }
      assert(window.isEmpty == inside.isEmpty)
      assert(window.current.told == cellOf(inside).told)
    }

    private def arrive(): Unit = {
      number += 1
      time += random.nextInt(4)
      val place =
        if (byTime) Place(Long.MinValue, Long.MaxValue, up(time))
        else Place(up(number) + lag, up(number) + lag + count, Long.MinValue)
      val value = random.nextInt(10).toLong
      tuples += ((place, value))
      if (random.nextBoolean()) window.openAt(place).append(value, 1)
      else window.insert(place, cellOf(Seq(value)))
    }

    private def again(): Unit = {
      val to = new ByteWriter
      window.save(to)
      window = made
      window.load(new ByteReader(to.result))
    }

    def run(): Unit = {
      val often = 1 + random.nextInt(8)
      (1 to 150).foreach { _ =>
        random.nextInt(10) match {
          case 0 => again()
          case n if n <= often => arrive()
          case _ =>
            if (random.nextInt(8) == 0) {
              number += random.nextInt(50)
              time += random.nextInt(50)
            }
            advance()
        }
      }
      number += 100
      time += 100
      advance()
      assert(window.isForgotten && window.isEmpty)
      again()
      assert(shelf.pieces.isEmpty, "chunks are left behind")
    }
  }

  test("the windows of the definition, after any mix of tuples, evaluations and restarts") {
    (1 to 20000).foreach { seed =>
      val tried = new Tried(new Random(seed))
      try tried.run()
      catch { case failure: Throwable => fail(s"seed $seed, $tried: ${failure.getMessage}", failure) }
    }
  }
}
