package org.sparkcsql.parse

import org.sparkcsql.plan.{WindowShape, WindowedRelation}

class ClauseSuite extends ParserTest {
  private def window(clause: String, expected: String): Unit =
    holds(s"SELECT * FROM S $clause", s"W[$expected](S)")

  test("every window of the language") {
    window("[Range 5 Tuples]", "range 5 tuples")
    window("[Rows 5]", "range 5 tuples")
    window("[Range 10 Minutes]", "range 10 minute")
    window("[Now]", "now")
    window("[Range Unbounded]", "unbounded")
    window("[Rows Unbounded]", "unbounded")
    window("[Partition By a, b Rows 5]", "range 5 tuples by a,b")
    window("[Range 5 Tuples Partitioned By a, b.c]", "range 5 tuples by a,b.c")
    window("[Range 1 Hour Lag 5 Minutes]", "range 1 hour lag 5 minute")
    window("[Rows 5 Lag 2 Tuples]", "range 5 tuples lag 2 tuples")
    window("[Landmark From TIMESTAMP '2026-01-01']", "from TIMESTAMP '2026-01-01 00:00:00'")
    window("[Landmark Until DATE '2026-01-01']", "until DATE '2026-01-01'")
    window("[Band From -5 Until 7]", "from -5 until 7")
    window("[Band From '2026-01-01' Until \"2026-01-02\"]", "from '2026-01-01' until '2026-01-02'")
    window("[Tumble 5 Minutes]", "range 5 minute; frequency 5 minute")
    window("[Range 100, Frequency 10]", "range 100; frequency 10")
  }

  test("units, singular and plural, in any case") {
    Seq("Microsecond", "Millisecond", "Second", "Minute", "Hour", "Day").foreach { unit =>
      val shown = s"range 3 ${unit.toLowerCase}"
      Seq(unit, unit + "s", unit.toLowerCase, unit.toUpperCase + "S").foreach(u =>
        window(s"[Range 3 $u]", shown))
    }
    Seq("Tuple", "tuples", "ROW", "Rows").foreach(unit => window(s"[range 3 $unit]", "range 3 tuples"))
  }

  test("frequencies") {
    window("[Frequency 10 Tuples]", "frequency 10 tuples")
    window("[Slide 1 Minute]", "frequency 1 minute")
    window("[Frequency 10]", "frequency 10")
    window("[Frequency 10 Tuples Partitioned By Id]", "frequency 10 tuples by Id")
    window("[Frequency 10 Tuples Partition By Id, x.y]", "frequency 10 tuples by Id,x.y")
    window("[Partition By Id Frequency 10 Tuples]", "frequency 10 tuples by Id")
    window(
      "[Frequency 1 Day Origin TIMESTAMP_NTZ '2026-01-01']",
      "frequency 1 day origin TIMESTAMP_NTZ '2026-01-01 00:00:00'")
    window("[Frequency 5 Origin -3]", "frequency 5 origin -3")
    window(
      "[Frequency 1 Day Partitioned By a Origin DATE '2026-01-01']",
      "frequency 1 day by a origin DATE '2026-01-01'")
    window(
      "[Frequency 1 Day Origin DATE '2026-01-01' On ts]",
      "frequency 1 day origin DATE '2026-01-01'; on ts")
  }

  test("parts in any order, with or without commas") {
    val parts = Seq("Range 1 Hour", "Lag 5 Minutes", "Frequency 1 Minute", "On ts")
    val expected = "range 1 hour lag 5 minute; frequency 1 minute; on ts"
    for (order <- parts.permutations; separator <- Seq(", ", " ", ",\n  "))
      window(order.mkString("[", separator, "]"), expected)
    window("[range 1 hour,lag 5 minutes frequency 1 minute , on ts]", expected)
    window("[ /* a */ Range /* b */ 1 -- c\n Hour\n]", "range 1 hour")
    window("[-- c\nRange 1 Hour]", "range 1 hour")
    window(
      "[Tumble 5 Minutes Lag 1 Minute Partitioned By a]",
      "range 5 minute lag 1 minute by a; frequency 5 minute by a")
    window("[Range 1 Hour, Frequency 1000 Tuples]", "range 1 hour; frequency 1000 tuples")
    window("[Range 100, Frequency 10 Tuples]", "range 100; frequency 10 tuples")
    window("[Frequency 10 Rows 5]", "range 5 tuples; frequency 10")
    window("[Frequency 10 Rows, Rows 5]", "range 5 tuples; frequency 10 tuples")
    window("[Range 5 Rows Frequency 2 Rows On x]", "range 5 tuples; frequency 2 tuples; on x")
  }

  test("a partitioning belongs to the part before it, or opens the next one") {
    window("[Range 5 Tuples Partitioned By a, Frequency 3 Tuples]", "range 5 tuples by a; frequency 3 tuples")
    window("[Range 5 Tuples Partition By a Frequency 3 Tuples]", "range 5 tuples by a; frequency 3 tuples")
    window("[Range 5 Tuples, Frequency 3 Tuples Partitioned By a]", "range 5 tuples; frequency 3 tuples by a")
    window("[Frequency 3 Tuples, Partition By a Rows 5]", "range 5 tuples by a; frequency 3 tuples")
    window("[Partition By a Rows 5 Frequency 3 Tuples]", "range 5 tuples by a; frequency 3 tuples")
    window("[Partition By a, Rows 5]", "range 5 tuples by a")
    window("[Rows 5, Partition By a, b]", "range 5 tuples by a,b")
    window(
      "[Partition By a Rows 5, Partition By b Frequency 2 Tuples]",
      "range 5 tuples by a; frequency 2 tuples by b")
  }

  test("any name can be a column") {
    window("[Partition By `a b`, c.`d``e` Rows 5]", "range 5 tuples by a b,c.d`e")
    window(
      "[Partition By rows, range, frequency, now.x Rows 5]",
      "range 5 tuples by rows,range,frequency,now.x")
    window("[Partition By a, rows Rows 5]", "range 5 tuples by a,rows")
    window("[Rows 5 On range]", "range 5 tuples; on range")
    window("[Range 5 On `on`.on Frequency 2]", "range 5; frequency 2; on on.on")
    window("[Frequency 5 Tuples Partitioned By a, `now`]", "frequency 5 tuples by a,now")
    window("[Now, Frequency 5 Tuples Partitioned By a]", "now; frequency 5 tuples by a")
    window("[Partition By 1a, _b Rows 5]", "range 5 tuples by 1a,_b")
  }

  test("every piece of a clause knows its place") {
    val sql = "SELECT *\nFROM S [Partition By a.b Rows 5 Lag 2 Rows, Frequency 3 Tuples On c]"
    val clause = parser.parsePlan(sql).collectFirst { case w: WindowedRelation => w.clause }.get
    val range = clause.shape.get.asInstanceOf[WindowShape.Range]
    val pieces = Seq(
      clause.at -> "[Partition By a.b Rows 5 Lag 2 Rows, Frequency 3 Tuples On c]",
      range.at -> "Rows 5",
      range.length.at -> "5",
      range.lag.get.at -> "2 Rows",
      range.partitionBy.head.at -> "a.b",
      clause.frequency.get.at -> "Frequency 3 Tuples",
      clause.frequency.get.length.at -> "3 Tuples",
      clause.on.get.at -> "c"
    )
    pieces.foreach { case (origin, text) =>
      assert(ParserTest.cut(origin) == text)
      assert(origin.line.contains(2) && origin.startIndex.get == 9 + origin.startPosition.get, text)
      assert(origin.context.summary.contains("^" * text.length), text)
    }
  }
}
