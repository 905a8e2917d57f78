package org.sparkcsql.kernel

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

/** Random streams, windows and paces: the fast algorithms against the definitions. No Spark here. */
class KernelPropertySuite extends AnyFunSuite {
  private val seed: Long =
    Option(System.getProperty("kernel.seed")).map(_.toLong).getOrElse(Random.nextLong())
  private val casesEach = 40000

  private def forAll(name: String)(check: Random => Unit): Unit =
    test(s"$name, $casesEach cases, seed $seed") {
      (0 until casesEach).foreach { i =>
        val caseSeed = seed + i
        try check(new Random(caseSeed))
        catch {
          case failure: Throwable =>
            fail(s"-Dkernel.seed=$caseSeed fails first: ${failure.getMessage}", failure)
        }
      }
    }

  private def stream(random: Random): Seq[Tuple] = {
    var time = random.nextInt(20) - 10L
    (1 to random.nextInt(25)).map { number =>
      time += Seq(0, 0, 1, 1, 2, 7)(random.nextInt(6))
      Tuple(number, time, random.nextInt(3), ('a' + random.nextInt(26)).toChar.toString)
    }
  }

  private def accumulator(random: Random): SlidingAccumulator[Tuple, StringBuilder] =
    random.nextInt(3) match {
      case 0 => new TwoStacksAccumulator(Concatenation, new HeapSequence, new HeapSequence)
      case 1 => new PackedStacks(new PackedConcatenation)
      case _ => new RecomputingAccumulator(Concatenation, new HeapSequence)
    }

  private def places(random: Random): Sequence[Place] =
    if (random.nextBoolean()) new PackedPlaces else new HeapSequence

  private def jumped(
      items: Seq[Item[Tuple]],
      points: Points,
      reach: Reach,
      state: WindowState[Tuple, StringBuilder],
      alsoWhenEmpty: Boolean): Seq[(Int, String)] =
    new JumpPass(reach, points, state, alsoWhenEmpty).run(items.iterator).map { case (i, a) =>
      (i, a.toString)
    }.toSeq

  private def expected(
      points: Points,
      alsoWhenEmpty: Boolean)(window: Int => Seq[Tuple]): Seq[(Int, String)] =
    (0 until points.length).collect {
      case i if alsoWhenEmpty || window(i).nonEmpty => (i, NaiveWindows.concatenated(window(i)))
    }

  private def group(random: Random, tuples: Seq[Tuple]): Seq[Tuple] = {
    val kept = random.nextInt(4)
    tuples.filter(t => kept == 0 || t.value.head % 3 != kept - 1)
  }

  private def tuplePoints(tuples: Seq[Tuple], every: Int): Points = {
    val at = tuples.filter(_.number % every == 0)
    new ListedPoints(at.map(_.number.toLong).toArray, at.map(_.time).toArray)
  }

  private def tickPoints(tuples: Seq[Tuple], grid: Grid, beyond: Long): Points = {
    val ticks =
      if (tuples.isEmpty) Nil
      else (tuples.head.time to tuples.last.time + beyond).filter(t => grid.tickAtOrAfter(t) == t)
    new ListedPoints(ticks.map(t => tuples.count(_.time <= t).toLong).toArray, ticks.toArray)
  }

  forAll("windows by tuples that jump by tuples") { random =>
    val tuples = stream(random)
    val (count, lag, every) = (1 + random.nextInt(8), random.nextInt(3), 1 + random.nextInt(6))
    val (points, empty) = (tuplePoints(tuples, every), random.nextBoolean())
    val mine = group(random, tuples)
    val items = mine.map(t => Item(Place(t.number + lag, t.number + lag + count, Long.MinValue), t))
    val state =
      new WindowState.Fifo[Tuple, StringBuilder](Reach.untimed, places(random), accumulator(random))
    val wanted = expected(points, empty)(i => NaiveWindows.tuplesAt(mine, count, lag)(points.seq(i)))
    assert(jumped(items, points, Reach.untimed, state, empty) == wanted)
  }

  forAll("windows by time that jump by tuples") { random =>
    val tuples = stream(random)
    val reach = Reach(random.nextInt(4), 1 + random.nextInt(9))
    val (points, empty) = (tuplePoints(tuples, 1 + random.nextInt(6)), random.nextBoolean())
    val mine = group(random, tuples)
    val items = mine.map(t => Item(Place(t.number, Long.MaxValue, t.time), t))
    val state = new WindowState.Fifo[Tuple, StringBuilder](reach, places(random), accumulator(random))
    val wanted = expected(points, empty)(i =>
      NaiveWindows.timeAt(mine, reach.length, reach.lag)(points.seq(i), points.time(i)))
    assert(jumped(items, points, reach, state, empty) == wanted)
  }

  forAll("windows by time and by tuples at ticks") { random =>
    val tuples = stream(random)
    val grid = Grid(random.nextInt(5) - 2, 1 + random.nextInt(5))
    val points = tickPoints(tuples, grid, 12)
    val mine = group(random, tuples)
    val reach = Reach(random.nextInt(4), 1 + random.nextInt(9))
    val timed = mine.map(t => Item(Place(Long.MinValue, Long.MaxValue, t.time), t))
    val byTime = new WindowState.Fifo[Tuple, StringBuilder](reach, places(random), accumulator(random))
    assert(jumped(timed, points, reach, byTime, alsoWhenEmpty = false) == expected(
      points,
      alsoWhenEmpty = false)(i =>
      NaiveWindows.timeAt(mine, reach.length, reach.lag)(Long.MaxValue, points.time(i))))
    val count = 1 + random.nextInt(8)
    val counted = mine.map(t => Item(Place(t.number, t.number + count, Long.MinValue), t))
    val byCount =
      new WindowState.Fifo[Tuple, StringBuilder](Reach.untimed, places(random), accumulator(random))
    assert(jumped(counted, points, Reach.untimed, byCount, alsoWhenEmpty = true) == expected(
      points,
      alsoWhenEmpty = true)(i => NaiveWindows.tuplesAt(mine, count, 0)(points.seq(i))))
  }

  forAll("windows of substreams, grouped otherwise") { random =>
    val tuples = stream(random)
    val (count, every) = (1 + random.nextInt(3), 1 + random.nextInt(4))
    val points = tuplePoints(tuples, every)
    val items = tuples.map { t =>
      val pushedOutBy =
        tuples.filter(o => o.substream == t.substream && o.number > t.number).drop(count - 1).headOption
      Item(Place(t.number, pushedOutBy.fold(Long.MaxValue)(_.number.toLong), Long.MinValue), t)
    }
    val state =
      if (random.nextBoolean()) new WindowState.Scattered[Tuple, StringBuilder](Concatenation)
      else new WindowState.ScatteredRows[Tuple, StringBuilder](Concatenation, identity)
    val wanted =
      expected(points, alsoWhenEmpty = true)(i => NaiveWindows.partitionedAt(tuples, count)(points.seq(i)))
    assert(jumped(items, points, Reach.untimed, state, alsoWhenEmpty = true) == wanted)
  }

  forAll("windows that slide") { random =>
    val mine = group(random, stream(random))
    val byTime = random.nextBoolean()
    val (count, reach) =
      (1 + random.nextInt(8), if (byTime) Reach(0, 1 + random.nextInt(9)) else Reach.untimed)
    def window(t: Tuple): Seq[Tuple] =
      if (byTime) NaiveWindows.timeAt(mine, reach.length, 0)(t.number, t.time)
      else NaiveWindows.tuplesAt(mine, count, 0)(t.number)
    val state = new WindowState.Fifo[Tuple, StringBuilder](reach, places(random), accumulator(random))
    val pass = new SlidePass(state)
    val answers = mine.map { t =>
      val place =
        if (byTime) Place(Long.MinValue, Long.MaxValue, t.time)
        else Place(t.number, t.number + count, Long.MinValue)
      val fresh = pass.arrive(t.number, t.time)
      pass.insert(place, t)
      (t.number.toLong, fresh, pass.current.toString)
    }
    assert(answers == mine.map(t =>
      (t.number.toLong, window(t) == Seq(t), NaiveWindows.concatenated(window(t)))))
  }

  forAll("slices between the edges of windows") { random =>
    val highs = Array.fill(random.nextInt(6))(random.nextInt(60) - 30L).sorted
    val length = 1L + random.nextInt(25)
    val edges = new Edges(highs.map(_ - length), highs)
    def windows(place: Long): Seq[Int] =
      highs.indices.filter(i => highs(i) - length < place && place <= highs(i))
    val places = Seq.fill(40)(random.nextInt(100) - 50L)
    (if (random.nextBoolean()) places.sorted else places).foreach { place =>
      val end = edges.endOf(place)
      if (windows(place).isEmpty) assert(end == Edges.Unseen)
      else assert(end >= place && (place to end).forall(between => windows(between) == windows(place)))
    }
  }

  forAll("ticks of a grid") { random =>
    val grid = Grid(random.nextInt(100) - 50, 1 + random.nextInt(20))
    val instant = random.nextInt(200) - 100L
    val length = 1L + random.nextInt(60)
    val ticks = (-400L to 400L).filter(t => Math.floorMod(t - grid.origin, grid.step) == 0)
    assert(grid.tickAtOrAfter(instant) == ticks.find(_ >= instant).get)
    val seeing = ticks.filter(t => t >= instant && t < instant + length)
    assert(seeing.isEmpty || grid.lastTickSeeing(instant, length) == seeing.last)
    assert(seeing.nonEmpty || grid.lastTickSeeing(instant, length) < grid.tickAtOrAfter(instant))
  }

  test("instants at the ends of time do not wrap around") {
    assert(Instants.minus(Long.MinValue + 3, 10) == Long.MinValue)
    assert(Instants.plus(Long.MaxValue - 3, 10) == Long.MaxValue)
    assert(Instants.minus(Long.MaxValue - 3, -10) == Long.MaxValue)
    assertThrows[ArithmeticException](Grid(0, 10).tickAtOrAfter(Long.MaxValue - 1))
    assert(Grid(7, 10).tickAtOrAfter(Long.MinValue) == Long.MinValue + Math.floorMod(
      7 - Math.floorMod(Long.MinValue, 10L),
      10L))
    assert(!Reach(0, Reach.Endless).gone(Long.MaxValue, Long.MinValue, 0, Long.MaxValue))
  }

  test("ticks in stretches are the ticks one by one") {
    val random = new Random(7)
    (1 to 200).foreach { _ =>
      val step = 1L + random.nextInt(5)
      var last = random.nextInt(100).toLong - 50
      val stretches = Seq.fill(1 + random.nextInt(6)) {
        val first = last + step * (1 + random.nextInt(4))
        last = first + step * random.nextInt(20)
        Stretch(random.nextInt(9).toLong, first, last)
      }
      val listed = stretches.flatMap(s => (s.first to s.last by step).map(tick => (s.seq, tick)))
      val points = new TickPoints(stretches.toArray, step)
      assert(points.length == listed.length)
      random.shuffle(listed.zipWithIndex).foreach { case ((seq, tick), i) =>
        assert((points.seq(i), points.time(i)) == ((seq, tick)))
      }
    }
  }
}
