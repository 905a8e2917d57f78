package org.sparkcsql.parse

/** Every fault in a clause, with its condition and the place the caret points at. */
class ClauseErrorSuite extends ParserTest {
  private val head = "SELECT a\nFROM S "

  /** Refuses a clause; `fragment` is found in it, from its last occurrence. */
  private def wrong(clause: String, condition: String, fragment: String): Unit =
    refuses(head + clause, condition, 2, 7 + clause.lastIndexOf(fragment), fragment)

  test("lengths") {
    wrong("[Range 0 Minutes]", "CSQL_LENGTH_NOT_POSITIVE", "0")
    wrong("[Rows 0]", "CSQL_LENGTH_NOT_POSITIVE", "0")
    wrong("[Rows 000]", "CSQL_LENGTH_NOT_POSITIVE", "000")
    wrong("[Range -5 Minutes]", "CSQL_LENGTH_NOT_POSITIVE", "-5")
    wrong("[Range -5]", "CSQL_LENGTH_NOT_POSITIVE", "-5")
    wrong("[Range - 5.5 Minutes]", "CSQL_LENGTH_NOT_POSITIVE", "- 5.5")
    wrong("[Range 1.5 Hours]", "CSQL_LENGTH_FRACTIONAL", "1.5")
    wrong("[Range 1e3 Hours]", "CSQL_LENGTH_FRACTIONAL", "1e3")
    wrong("[Rows 5L]", "CSQL_LENGTH_FRACTIONAL", "5L")
    wrong("[Range 5S]", "CSQL_LENGTH_FRACTIONAL", "5S")
    wrong("[Range 5.0D Hours]", "CSQL_LENGTH_FRACTIONAL", "5.0D")
    wrong("[Rows 9223372036854775808]", "CSQL_LENGTH_OVERFLOW", "9223372036854775808")
    wrong("[Range 106751992 Days]", "CSQL_LENGTH_OVERFLOW", "106751992")
    wrong("[Range Minutes]", "CSQL_LENGTH_MISSING", "Minutes")
    wrong("[Range]", "CSQL_LENGTH_MISSING", "]")
    wrong("[Range, Frequency 1 Minute]", "CSQL_LENGTH_MISSING", ",")
    wrong("[Range 1Hour]", "CSQL_LENGTH_MISSING", "1Hour")
    wrong("[Range 'a' Hour]", "CSQL_LENGTH_MISSING", "'a'")
    wrong("[Rows Unbound]", "CSQL_LENGTH_MISSING", "Unbound")
    wrong("[Frequency]", "CSQL_LENGTH_MISSING", "]")
    holds(head + "[Rows 9223372036854775807]", "W[range 9223372036854775807 tuples](S)")
    holds(head + "[Range 106751991 Days]", "W[range 106751991 day](S)")
    holds(head + "[Range 007 Days]", "W[range 7 day](S)")
  }

  test("units") {
    wrong("[Range 10 Minuts]", "CSQL_UNIT_UNKNOWN", "Minuts")
    Seq("Week", "Weeks", "Month", "Years", "Quarter", "Nanoseconds").foreach { unit =>
      wrong(s"[Range 10 $unit]", "CSQL_UNIT_UNKNOWN", unit)
    }
    wrong("[Range 10 `Minutes`]", "CSQL_CLAUSE_SYNTAX", "`Minutes`")
    wrong("[Range 10 Minutes, Frequency 5]", "CSQL_UNIT_MISSING", "5")
    wrong("[Frequency 10 Minutes, Range 5]", "CSQL_UNIT_MISSING", "5")
    wrong("[Range 10 Minutes Lag 5 Tuples]", "CSQL_UNIT_MISMATCH", "5 Tuples")
    wrong("[Rows 10 Lag 5 Minutes]", "CSQL_UNIT_MISMATCH", "5 Minutes")
    wrong("[Rows 10 Lag 5]", "CSQL_UNIT_MISMATCH", "5")
    wrong("[Range 10 Lag 5 Hours]", "CSQL_UNIT_MISMATCH", "5 Hours")
    wrong("[Lag 5 Hours Range 10]", "CSQL_UNIT_MISMATCH", "5 Hours")
    assert(messageOf(head + "[Range 10 Minuts]").contains("Did you mean Minute"))
    assert(
      messageOf(head + "[Range 10 Sec]").contains("is no unit of length. Write one of Tuples, Rows, Micro"))
  }

  test("parts that stand twice") {
    wrong("[Rows 1, Rows 2]", "CSQL_CLAUSE_DOUBLED", "Rows 2")
    wrong("[Range 1 Hour Range 2 Hours]", "CSQL_CLAUSE_DOUBLED", "Range 2 Hours")
    wrong("[Frequency 1 Hour, Rows 2, Frequency 2 Hours]", "CSQL_CLAUSE_DOUBLED", "Frequency 2 Hours")
    wrong("[Rows 1 Lag 1 Row Lag 2 Rows]", "CSQL_CLAUSE_DOUBLED", "Lag 2 Rows")
    wrong("[Rows 1 On a, On b]", "CSQL_CLAUSE_DOUBLED", "On b")
    wrong("[Now, Now]", "CSQL_CLAUSE_DOUBLED", "Now")
    wrong("[Partition By a Rows 5 Partition By b]", "CSQL_CLAUSE_DOUBLED", "Partition By b")
    wrong("[Partition By a, Partition By b Rows 5]", "CSQL_CLAUSE_DOUBLED", "Partition By b")
    wrong("[Frequency 1 Day Origin 1 Origin 2]", "CSQL_CLAUSE_DOUBLED", "Origin 2")
  }

  test("parts that contradict each other") {
    val condition = "CSQL_CLAUSE_CONTRADICTORY"
    wrong("[Range 1 Hour, Rows 5]", condition, "Rows 5")
    wrong("[Range 1 Hour, Tumble 1 Hour]", condition, "Tumble 1 Hour")
    wrong("[Tumble 1 Hour, Frequency 1 Hour]", condition, "Frequency 1 Hour")
    wrong("[Frequency 1 Hour, Slide 1 Hour]", condition, "Slide 1 Hour")
    wrong("[Range Unbounded Lag 1 Hour]", condition, "Lag 1 Hour")
    wrong("[Lag 1 Hour Range Unbounded]", condition, "Range Unbounded")
    wrong("[Now Lag 1 Hour]", condition, "Lag 1 Hour")
    wrong("[Now, Rows 5]", condition, "Rows 5")
    wrong("[Range Unbounded, Rows Unbounded]", condition, "Rows Unbounded")
    wrong("[Landmark From 5 Lag 1]", condition, "Lag 1")
    wrong("[Landmark From 5 Until 6]", condition, "Until")
    wrong("[Landmark From 5, Landmark Until 6]", condition, "Landmark Until 6")
    wrong("[Landmark From 5, Band From 5 Until 6]", condition, "Band From 5 Until 6")
    wrong("[Frequency 5 Tuples Origin 3]", condition, "Origin 3")
    wrong("[Now Partitioned By a]", condition, "Partitioned By a")
    wrong("[Partition By a Range Unbounded]", condition, "Partition By a")
    wrong("[Landmark From 5 Partitioned By a]", condition, "Partitioned By a")
  }

  test("parts that miss something") {
    wrong("[Lag 1 Hour]", "CSQL_CLAUSE_INCOMPLETE", "Lag 1 Hour")
    wrong("[Frequency 1 Hour Lag 1 Hour]", "CSQL_CLAUSE_INCOMPLETE", "Lag 1 Hour")
    wrong("[Rows 5 Until 3]", "CSQL_CLAUSE_INCOMPLETE", "Until")
    wrong("[Range 5 Until 3]", "CSQL_CLAUSE_INCOMPLETE", "Until")
    wrong("[Band From 5]", "CSQL_CLAUSE_INCOMPLETE", "Band From 5")
    wrong("[Band Until 5]", "CSQL_CLAUSE_SYNTAX", "Until")
    wrong("[Landmark 5]", "CSQL_CLAUSE_SYNTAX", "5")
    wrong("[Rows 5 Origin 5]", "CSQL_CLAUSE_INCOMPLETE", "Origin 5")
    wrong("[On ts]", "CSQL_CLAUSE_INCOMPLETE", "On ts")
    wrong("[Partition By a]", "CSQL_CLAUSE_INCOMPLETE", "Partition By a")
  }

  test("words that do not belong") {
    val condition = "CSQL_CLAUSE_SYNTAX"
    wrong("[Rows 5 Tuples]", condition, "Tuples")
    wrong("[Rows 5, ]", condition, "]")
    wrong("[Rows 5,, Now]", condition, ",")
    wrong("[Rows 5 6]", condition, "6")
    wrong("[Partition a Rows 5]", condition, "a")
    wrong("[Partition By 5 Rows 6]", condition, "5")
    wrong("[Partition By Rows 5]", condition, "5")
    wrong("[Rows 5 On]", condition, "]")
    wrong("[Now()]", condition, "(")
    wrong("[Range 10 Minutes, Frequency 1 Minute Extra]", condition, "Extra")
    wrong("[Range 10 Minutes", "CSQL_CLAUSE_INCOMPLETE", "[")
    wrong("[Rows 5 (", "CSQL_CLAUSE_INCOMPLETE", "[")
  }

  test("instants") {
    val condition = "CSQL_INSTANT_INVALID"
    wrong("[Landmark From]", condition, "]")
    wrong("[Landmark From ts]", condition, "ts")
    wrong("[Landmark Until TIMESTAMP ts]", condition, "ts")
    wrong("[Band From 1 Until now]", condition, "now")
    wrong("[Frequency 1 Day Origin ts]", condition, "ts")
    refuses(head + "[Landmark From TIMESTAMP 'noon']", "INVALID_TYPED_LITERAL", 2, 22)
    refuses(head + "[Landmark From 99999999999999999999BD9]", condition, 2, 22)
  }

  test("clauses out of place") {
    val condition = "CSQL_CLAUSE_MISPLACED"
    def misplaced(sql: String, fragment: String) =
      refuses(sql, condition, 1, sql.lastIndexOf(fragment), fragment)
    misplaced("SELECT a FROM S WHERE x [Range 1 Hour]", "[Range 1 Hour]")
    misplaced("SELECT a FROM S WHERE x > 1 [Range 1 Hour] AND y", "[Range 1 Hour]")
    misplaced("SELECT a FROM S GROUP BY a [Rows 3]", "[Rows 3]")
    misplaced("SELECT a FROM S GROUP BY a, [Frequency 3 Tuples]", "[Frequency 3 Tuples]")
    misplaced("SELECT a FROM S ORDER BY a [Frequency 3 Tuples]", "[Frequency 3 Tuples]")
    misplaced("SELECT a FROM db [Range 1 Hour] . S", "[Range 1 Hour]")
    misplaced("SELECT a FROM S [Rows 3] TABLESAMPLE (10 PERCENT)", "[Rows 3]")
    misplaced("SELECT a FROM (SELECT a FROM S) [Rows 3] TABLESAMPLE (10 ROWS) AS x", "[Rows 3]")
    misplaced("SELECT a [Range 1 Hour] FROM S", "[Range 1 Hour]")
    misplaced("SELECT a [Frequency 1 Hour On b] FROM S", "[Frequency 1 Hour On b]")
    misplaced("SELECT f(a [Frequency 1 Minute]) FROM S", "[Frequency 1 Minute]")
    misplaced("SELECT a [Frequency 1 Minute] + 1 FROM S", "[Frequency 1 Minute]")
    misplaced("SELECT a AS [Frequency 1 Minute] x FROM S", "[Frequency 1 Minute]")
    misplaced("SELECT a FROM S AS [Rows 3] x", "[Rows 3]")
    misplaced("SELECT a FROM S [Rows 3] [Frequency 3 Tuples]", "[Frequency 3 Tuples]")
    misplaced("SELECT a FROM S [Rows 3] AS x [Rows 4]", "[Rows 4]")
    misplaced("SELECT a FROM A JOIN B ON A.x = B.x [Rows 5]", "[Rows 5]")
    misplaced("SELECT a FROM A JOIN B USING (x) [Rows 5]", "[Rows 5]")
    misplaced("SELECT a FROM VALUES (1) [Rows 2], (2) AS v(a)", "[Rows 2]")
    misplaced("TABLE S [Rows 2]", "[Rows 2]")
    misplaced("SELECT * FROM f(TABLE(S [Rows 2]))", "[Rows 2]")
    misplaced("MERGE INTO t USING S [Rows 2] ON t.a = S.a WHEN MATCHED THEN DELETE", "[Rows 2]")
    misplaced("DELETE FROM S [Rows 2] WHERE a > 1", "[Rows 2]")
    misplaced("UPDATE S [Rows 2] SET a = 1", "[Rows 2]")
    misplaced("INSERT INTO S [Rows 2] SELECT 1", "[Rows 2]")
    misplaced("SELECT * FROM S PIVOT (sum(x) FOR y IN (1, 2)) [Rows 2]", "[Rows 2]")
    misplaced("SELECT * FROM S LATERAL VIEW explode(a) t AS e [Rows 2]", "[Rows 2]")
    misplaced("DESCRIBE TABLE S [Rows 2]", "[Rows 2]")
    misplaced("DROP TABLE S [Rows 2]", "[Rows 2]")
    refuses("SELECT a [Frequency 1 Hour], b [Frequency 2 Hours] FROM S", "CSQL_CLAUSE_DOUBLED", 1, 31)
    refuses("SELECT [Frequency 1 Hour] FROM S", "CSQL_CLAUSE_INCOMPLETE", 1, 7, "[Frequency 1 Hour]")
  }

  test("window functions") {
    refuses(
      "SELECT avg(x) OVER (ROWS 1 PRECEDING SLIDE 5 PARSECS) FROM S",
      "CSQL_UNIT_UNKNOWN",
      1,
      45,
      "PARSECS")
    refuses("SELECT avg(x) OVER (ROWS 1 PRECEDING SLIDE 0) FROM S", "CSQL_LENGTH_NOT_POSITIVE", 1, 43, "0")
    refuses("SELECT avg(x) OVER (ROWS 1 PRECEDING SLIDE) FROM S", "CSQL_LENGTH_MISSING", 1, 42, ")")
    refuses(
      "SELECT avg(x) OVER (ROWS 1 PRECEDING SLIDE 5 MINUTES) FROM S",
      "CSQL_UNIT_MISMATCH",
      1,
      43,
      "5 MINUTES")
    refuses(
      "SELECT avg(x) OVER (RANGE 1 DAY PRECEDING SLIDE 5 ROWS) FROM S",
      "CSQL_UNIT_MISMATCH",
      1,
      48,
      "5 ROWS")
    refuses(
      "SELECT avg(x) OVER (ROWS 1 PRECEDING ACTIVE EXPIRATION) FROM S",
      "CSQL_CLAUSE_CONTRADICTORY",
      1,
      37,
      "ACTIVE EXPIRATION")
    refuses("SELECT avg(x) OVER (RANGE 1 DAY PRECEDING ACTIVE) FROM S", "CSQL_CLAUSE_SYNTAX", 1, 48, ")")
    refuses(
      "SELECT avg(x) OVER (RANGE 1 DAY PRECEDING SLIDE 5 DAYS ACTIVE EXPIRATION) FROM S",
      "CSQL_CLAUSE_CONTRADICTORY",
      1,
      55,
      "ACTIVE")
    refuses("SELECT avg(x) OVER (RANGE 1 WEEK PRECEDING) FROM S", "CSQL_UNIT_UNKNOWN", 1, 28, "WEEK")
    refuses("SELECT avg(x) OVER (ORDER BY t SLIDE 5) FROM S", "CSQL_CLAUSE_INCOMPLETE", 1, 31, "SLIDE")
  }

  test("Spark's own errors keep their places, and the first of several is told") {
    refuses("SELECT * FROM S [Range 1 Hour] WHERE ) x", "PARSE_SYNTAX_ERROR", 1, 37)
    refuses("SELECT *\nFROM S [Range 1 Hour]\n  JOIN T [Rows 2] ON a = = b", "PARSE_SYNTAX_ERROR", 3, 25)
    refuses("SELECT * FROM S [Range 1 Hour] GROUP a", "PARSE_SYNTAX_ERROR", 1, 37)
    refuses("BEGIN\n SELECT * FROM S [Rows 2];\n SELECT a FROM ) T;\nEND", "PARSE_SYNTAX_ERROR", 3, 15)
    refuses("SELECT ) FROM S [Rows 0]", "PARSE_SYNTAX_ERROR", 1, 7)
    refuses("SELECT a FROM S [Rows 0] WHERE )", "CSQL_LENGTH_NOT_POSITIVE", 1, 22, "0")
    refuses("SELECT a FROM S [Rows 0], T [Rows 5", "CSQL_LENGTH_NOT_POSITIVE", 1, 22, "0")
  }

  private def messageOf(sql: String): String = intercept[Exception](parser.parsePlan(sql)).getMessage
}
