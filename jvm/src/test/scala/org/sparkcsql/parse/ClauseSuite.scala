package org.sparkcsql.parse

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
}
