package org.sparkcsql.parse

/** Where clauses and operators may stand in a query. */
class QuerySuite extends ParserTest {
  private val hour = "range 1 hour"

  test("behind a relation, before or after its alias") {
    holds(
      "SELECT Id, COUNT(*) FROM Pulse [Range 10 Minutes, Frequency 1 Minute] GROUP BY Id",
      "W[range 10 minute; frequency 1 minute](Pulse)")
    holds("SELECT Id, COUNT(*) FROM Pulse[Range 1 Hour] GROUP BY Id", s"W[$hour](Pulse)")
    holds("SELECT * FROM S [Rows 3] AS x", "W[range 3 tuples](as x)")
    holds("SELECT * FROM S [Rows 3] x", "W[range 3 tuples](as x)")
    holds("SELECT * FROM S AS x [Rows 3]", "W[range 3 tuples](as x)")
    holds(
      "SELECT * FROM S x [Rows 3] WHERE x.a[1] > 2 AND m['k'] = 'x[Range 1 Hour]'",
      "W[range 3 tuples](as x)")
    holds("SELECT * FROM cat.db.S [Rows 3]", "W[range 3 tuples](cat.db.S)")
    holds("SELECT * FROM cat.db.S TABLESAMPLE (10 ROWS) t(x, y) [Rows 3]", "W[range 3 tuples](GlobalLimit)")
    holds(
      "SELECT * FROM `we[Range 1 Hour]ird` [Rows 3] -- [Range 2 Hours]\n /* [Rows 1] */ AS q",
      "W[range 3 tuples](as q)")
    holds("SELECT * FROM STREAM Pulse [Range 1 Hour] AS q", s"W[$hour](as q)")
    holds("SELECT * FROM STREAM Pulse AS q [Range 1 Hour]", s"W[$hour](as q)")
    holds(
      "SELECT * FROM STREAM(Pulse) WATERMARK ts DELAY OF INTERVAL 1 MINUTE [Range 1 Hour]",
      s"W[$hour](UnresolvedEventTimeWatermark)")
    holds("SELECT * FROM range(10) [Rows 2] r", "W[range 2 tuples](as r)")
    holds("SELECT * FROM VALUES (1), (2) AS v(a) [Rows 2]", "W[range 2 tuples](as v)")
    holds("SELECT * FROM IDENTIFIER('S') [Rows 2]", "W[range 2 tuples](S)")
    holds("SELECT * FROM S [Rows 2] PIVOT (sum(x) FOR y IN (1, 2))", "W[range 2 tuples](S)")
    holds("SELECT * FROM S [Rows 2] LATERAL VIEW explode(a) t AS e", "W[range 2 tuples](S)")
    holds("SELECT '\uD83D\uDE00' AS e, a FROM S [Rows 2] AS x", "W[range 2 tuples](as x)")
  }

  test("behind a subquery, also with two names") {
    holds(
      "SELECT * FROM (SELECT a FROM S [Range 1 Hour]) [Rows 2] AS X",
      s"W[$hour](S)",
      "W[range 2 tuples](as X)")
    holds("SELECT * FROM (SELECT a FROM S) X [Rows 2]", "W[range 2 tuples](as X)")
    holds("SELECT * FROM (SELECT a FROM S) [Rows 2]", "W[range 2 tuples](auto)")
    holds("SELECT * FROM (SELECT a FROM S) AS PulseRate PR [Rows 2]", "W[range 2 tuples](as PR)")
    holds("SELECT * FROM (SELECT a FROM S) PulseRate PR [Rows 2]", "W[range 2 tuples](as PR)")
    holds("SELECT * FROM (SELECT a FROM S) JOIN B [Rows 2]", "W[range 2 tuples](B)")
    holds(
      "SELECT * FROM (A [Rows 1] JOIN B [Rows 2] ON true) [Frequency 1 Day] x",
      "W[range 1 tuples](A)",
      "W[range 2 tuples](B)",
      "W[frequency 1 day](as x)")
  }

  test("behind each of several relations") {
    holds(
      "SELECT * FROM A [Range 1 Hour], B [Now] b, C c [Rows 3] WHERE A.x = b.x",
      s"W[$hour](A)",
      "W[now](as b)",
      "W[range 3 tuples](as c)")
    holds(
      "SELECT * FROM A [Range 1 Hour] JOIN B [Now] ON A.x = B.x LEFT JOIN C AS c [Now] USING (x)",
      s"W[$hour](A)",
      "W[now](B)",
      "W[now](as c)")
    holds(
      "SELECT * FROM A JOIN LATERAL (SELECT * FROM B [Rows 2] WHERE B.x = A.x) [Now] t",
      "W[range 2 tuples](B)",
      "W[now](as t)")
  }

  test("a frequency anywhere in a SELECT list") {
    Seq(
      "SELECT COUNT(*) [Frequency 1 Minute] AS Rate, Id FROM Pulse GROUP BY Id",
      "SELECT COUNT(*) [Frequency 1 Minute] Rate, Id FROM Pulse GROUP BY Id",
      "SELECT Id, COUNT(*) AS Rate [Frequency 1 Minute] FROM Pulse GROUP BY Id ORDER BY Rate LIMIT 3",
      "SELECT [Frequency 1 Minute] a, b FROM S",
      "SELECT DISTINCT [Frequency 1 Minute] a, b FROM S",
      "SELECT /*+ BROADCAST(x) */ [Frequency 1 Minute] a, b FROM S",
      "SELECT a, [Frequency 1 Minute], b FROM S",
      "SELECT a, [Frequency 1 Minute] b FROM S",
      "SELECT [Frequency 1 Minute], b FROM S",
      "SELECT a, b, [Frequency 1 Minute] FROM S",
      "SELECT 1, [Frequency 1 Minute]",
      "SELECT * [Frequency 1 Minute] FROM S",
      "SELECT a [Slide 1 Minute] FROM S",
      "FROM S SELECT a [Frequency 1 Minute]",
      "FROM S |> SELECT a [Frequency 1 Minute] |> WHERE a > 3",
      "INSERT INTO t SELECT a [Frequency 1 Minute] FROM S ORDER BY b",
      "SELECT * FROM (SELECT a [Frequency 1 Minute] FROM S)"
    ).foreach(holds(_, "F[1 minute]"))
    holds(
      "SELECT P.Id, COUNT(*) [Frequency 10 Tuples Partitioned By P.Id] AS Rate FROM P GROUP BY P.Id",
      "F[10 tuples by P.Id]")
    holds("SELECT a[1] [Frequency 1 Minute], m['k'][2] FROM S [Now]", "F[1 minute]", "W[now](S)")
    holds("FROM S SELECT a [Frequency 1 Minute] SELECT b [Frequency 2 Minutes]", "F[1 minute]", "F[2 minute]")
    holds(
      "FROM S INSERT INTO t SELECT a [Frequency 1 Minute] INSERT INTO u SELECT b ORDER BY c",
      "F[1 minute]")
  }

  test("operators around a query") {
    holds("RSTREAM (SELECT a FROM S [Now])", "RSTREAM", "W[now](S)")
    holds("ISTREAM(SELECT a FROM S UNION ALL SELECT a FROM T)", "ISTREAM")
    holds("ISTREAM((SELECT a FROM S) UNION ALL (SELECT a FROM T))", "ISTREAM")
    holds("DSTREAM(WITH c AS (SELECT 1) SELECT * FROM c)", "DSTREAM")
    holds("SELECT * FROM S [Rows 5] UNION ALL ISTREAM (SELECT * FROM T)", "W[range 5 tuples](S)", "ISTREAM")
    holds("SELECT * FROM ISTREAM(SELECT a FROM S) [Rows 2] AS x", "ISTREAM", "W[range 2 tuples](as x)")
    holds("SELECT * FROM (ISTREAM(SELECT a FROM S)) x", "ISTREAM")
    holds("WITH c AS ISTREAM(SELECT a FROM S) SELECT * FROM c", "ISTREAM")
    holds("INSERT INTO t RSTREAM (SELECT a FROM S [Rows 2])", "W[range 2 tuples](S)", "RSTREAM")
    holds("CREATE VIEW v AS ISTREAM(SELECT a FROM S)", "ISTREAM")
  }

  test("window functions on streams") {
    holds(
      "SELECT avg(x) OVER (PARTITION BY k RANGE 1 HOUR PRECEDING SLIDE 10 MINUTES) FROM S",
      "T[slide 10 minute]")
    holds("SELECT avg(x) OVER (RANGE 1 HOUR PRECEDING ACTIVE EXPIRATION) FROM S", "T[active]")
    holds("SELECT avg(x) OVER (ROWS 5 PRECEDING SLIDE 2) FROM S", "T[slide 2 tuples]")
    holds(
      "SELECT avg(x) OVER (ORDER BY t ROWS UNBOUNDED PRECEDING SLIDE 10 ROWS) FROM S",
      "T[slide 10 tuples]")
    holds("SELECT avg(x) OVER (RANGE UNBOUNDED PRECEDING SLIDE 10 HOURS) FROM S", "T[slide 10 hour]")
    holds("SELECT avg(x) OVER (RANGE 5 PRECEDING SLIDE 10) FROM S", "T[slide 10]")
    holds(
      "SELECT avg(x) OVER (ROWS BETWEEN 9 PRECEDING AND CURRENT ROW SLIDE 5), a FROM S",
      "T[slide 5 tuples]")
    holds(
      "SELECT avg(x) OVER w FROM S WINDOW w AS (RANGE 1 HOUR PRECEDING SLIDE 1 MINUTE)",
      "T[slide 1 minute]")
    holds("SELECT avg(x) OVER (ORDER BY ts RANGE BETWEEN 1 HOUR PRECEDING AND 5 MINUTES FOLLOWING) FROM S")
    holds("SELECT avg(x) OVER (PARTITION BY k) FROM S [Rows 2]", "W[range 2 tuples](S)")
  }

  test("subscripts beside clauses stay subscripts") {
    val rows = "W[range 2 tuples](as x)"
    holds("SELECT * FROM (SELECT a, b[now] FROM t) x [Rows 2]", rows)
    holds("SELECT * FROM (SELECT a[now], b[rows] FROM t JOIN u ON t.c[now] = u.d[range]) x [Rows 2]", rows)
    holds("SELECT a IS DISTINCT FROM b[now] FROM S x [Rows 2]", rows)
    holds("SELECT extract(DAY FROM b[now]), trim(FROM c[now]) FROM S x [Rows 2]", rows)
    holds(
      "SELECT x.a[now] FROM S x [Rows 2] WHERE b[now] GROUP BY c[now], d[now] HAVING e[now] ORDER BY f[now]",
      rows)
    holds("SELECT v[rows:n], v[range:a.b] FROM S x [Rows 2]", rows)
    holds(
      "SELECT a[now] FROM S [Now] JOIN T [now] ON S.a[now] = T.b[now], U[NOW]",
      "W[now](S)",
      "W[now](T)",
      "W[now](U)")
    holds("SELECT istream(map(1, 2)), istream(select) FROM S x [Rows 2]", rows)
    holds("INSERT INTO rstream (SELECT a FROM S x [Rows 2])", rows)
    holds("WITH rstream (SELECT a FROM S x [Rows 2]) SELECT * FROM rstream", rows)
    holds(
      "SELECT * FROM a, limit [Now], window w [Now], offset [Rows 2]",
      "W[now](limit)",
      "W[now](as w)",
      "W[range 2 tuples](offset)")
  }
}
