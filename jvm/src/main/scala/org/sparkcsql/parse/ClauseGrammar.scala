package org.sparkcsql.parse

import java.util.Locale

import scala.collection.mutable.ArrayBuffer

import org.antlr.v4.runtime.Token

import org.apache.spark.sql.catalyst.trees.Origin

import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan.{ColumnName, WindowClause}

/** Reads what stands between the brackets of a clause. */
private[parse] final class ClauseGrammar(cursor: TokenCursor) {
  import ClauseGrammar._

  private val parts = ArrayBuffer.empty[PartitionedPart]

  /** A partitioning that waits for the part it stands before. */
  private var waiting: Option[Partitioning] = None

  def clause(at: Origin): WindowClause = {
    var comma = false
    do {
      if (cursor.word(0).startsWith("PARTITION")) partitioning(comma) else addPart()
      comma = cursor.takeType(TokenTypes.Comma)
    } while (comma || !cursor.done)
    waiting.foreach(unused => misplacedPartitioning(unused, "nothing follows it"))
    new ClauseAssembly(parts.toSeq, at).clause
  }

  private def addPart(): Unit = {
    val part = readPart()
    if (qualifies(part)) parts += PartitionedPart(part, None)
    else {
      parts += PartitionedPart(part, waiting)
      waiting = None
    }
  }

  private def readPart(): ClausePart = {
    val first = cursor.current
    cursor.word() match {
      case "RANGE" if cursor.take("RANGE", "UNBOUNDED") =>
        ClausePart.Unbounded("Range Unbounded", cursor.since(first))
      case "ROWS" if cursor.take("ROWS", "UNBOUNDED") =>
        ClausePart.Unbounded("Rows Unbounded", cursor.since(first))
      case "RANGE" =>
        cursor.advance()
        ClausePart.Sized("Range", measured("Range"), cursor.since(first))
      case "ROWS" =>
        cursor.advance()
        ClausePart.Sized("Rows", Lengths.tuples(cursor, "Rows"), cursor.since(first))
      case "NOW" =>
        cursor.advance()
        ClausePart.Now(cursor.since(first))
      case "TUMBLE" =>
        cursor.advance()
        ClausePart.Tumble(measured("Tumble"), cursor.since(first))
      case word @ ("FREQUENCY" | "SLIDE") =>
        cursor.advance()
        val name = word.head.toString + word.tail.toLowerCase(Locale.ROOT)
        ClausePart.Sampling(name, measured(name), cursor.since(first))
      case "LAG" =>
        cursor.advance()
        ClausePart.Lag(measured("Lag"), cursor.since(first))
      case "LANDMARK" => landmark()
      case "BAND" => band()
      case "ORIGIN" =>
        cursor.advance()
        ClausePart.From(Instants.read(cursor, "Origin"), cursor.since(first))
      case "ON" =>
        cursor.advance()
        ClausePart.On(name("a column"), cursor.since(first))
      case "UNTIL" | "FROM" =>
        cursor.fail(
          "CSQL_CLAUSE_INCOMPLETE",
          "part" -> cursor.found,
          "missing" -> "Landmark or Band before it",
          "hint" -> "Write [Landmark From ts], [Landmark Until ts] or [Band From ts1 Until ts2]."
        )
      case _ => cursor.fail("CSQL_CLAUSE_SYNTAX", "found" -> cursor.found, "expected" -> expectedParts)
    }
  }

  private def measured(part: String) = Lengths.measured(cursor, part, endsLength)

  /** A bare number ends where a comma or the next part begins. */
  private def endsLength(c: TokenCursor): Boolean =
    c.done || c.typeAt(0) == TokenTypes.Comma || startsPart(c, 0) ||
      (boundWords(c.word()) || partWords(c.word())) && Units.find(c.word()).isEmpty

  private def landmark(): ClausePart = {
    val first = cursor.current
    cursor.advance()
    if (cursor.take("FROM")) {
      val from = Instants.read(cursor, "Landmark From")
      if (cursor.word() == "UNTIL")
        cursor.fail(
          "CSQL_CLAUSE_CONTRADICTORY",
          "part" -> "Until",
          "other" -> "Landmark From",
          "hint" -> "A window with both bounds is written [Band From ts1 Until ts2].")
      ClausePart.Between("Landmark From", Some(from), None, cursor.since(first))
    } else if (cursor.take("UNTIL")) {
      val until = Instants.read(cursor, "Landmark Until")
      ClausePart.Between("Landmark Until", None, Some(until), cursor.since(first))
    } else
      cursor.fail(
        "CSQL_CLAUSE_SYNTAX",
        "found" -> cursor.found,
        "expected" -> "From or Until behind Landmark")
  }

  private def band(): ClausePart = {
    val first = cursor.current
    cursor.advance()
    if (!cursor.take("FROM"))
      cursor.fail("CSQL_CLAUSE_SYNTAX", "found" -> cursor.found, "expected" -> "From behind Band")
    val from = Instants.read(cursor, "Band From")
    if (!cursor.take("UNTIL"))
      CsqlErrors.syntax(
        "CSQL_CLAUSE_INCOMPLETE",
        cursor.since(first),
        "part" -> "Band",
        "missing" -> "an Until",
        "hint" -> "Write [Band From ts1 Until ts2], or [Landmark From ts] for a window without an end."
      )
    val until = Instants.read(cursor, "Band Until")
    ClausePart.Between("Band", Some(from), Some(until), cursor.since(first))
  }

  /**
   * `Partition[ed] By A, …` belongs to the window or frequency before it, unless there is none yet, or a comma stands
   * before it and none behind it. What only qualifies a window or frequency, such as Lag, may stand between.
   */
  private def partitioning(afterComma: Boolean): Unit = {
    val first = cursor.current
    if (!cursor.take("PARTITION", "BY") && !cursor.take("PARTITIONED", "BY")) {
      cursor.advance()
      cursor.fail("CSQL_CLAUSE_SYNTAX", "found" -> cursor.found, "expected" -> "By")
    }
    val columns = ArrayBuffer(name("a column to partition by"))
    while (cursor.typeAt(0) == TokenTypes.Comma && !startsPart(cursor, 1)) {
      cursor.advance()
      columns += name("a column to partition by")
    }
    val by = Partitioning(columns.toSeq, cursor.since(first))
    val owner = parts.lastIndexWhere(entry => !qualifies(entry.part))
    val opensNext = owner < 0 || (afterComma && !cursor.done && cursor.typeAt(0) != TokenTypes.Comma)
    if (opensNext) {
      waiting.foreach(_ => doubled(by))
      waiting = Some(by)
    } else {
      if (parts(owner).by.isDefined) doubled(by)
      parts(owner) = parts(owner).copy(by = Some(by))
    }
  }

  private def qualifies(part: ClausePart): Boolean = part match {
    case _: ClausePart.Lag | _: ClausePart.From | _: ClausePart.On => true
    case _ => false
  }

  private def doubled(by: Partitioning): Nothing =
    CsqlErrors.syntax("CSQL_CLAUSE_DOUBLED", by.at, "part" -> "Partition By")

  private def misplacedPartitioning(by: Partitioning, why: String): Nothing =
    CsqlErrors.syntax(
      "CSQL_CLAUSE_INCOMPLETE",
      by.at,
      "part" -> "Partition By",
      "missing" -> s"a part to apply to, but $why",
      "hint" -> "Write for example [Partition By a Rows 10] or [Frequency 10 Tuples Partitioned By a]."
    )

  private def name(expected: String): ColumnName = cursor.qualifiedName().getOrElse(
    cursor.fail("CSQL_CLAUSE_SYNTAX", "found" -> cursor.found, "expected" -> expected))
}

private[parse] object ClauseGrammar {
  private val expectedParts =
    "Range, Rows, Now, Tumble, Landmark, Band, Partition By, Lag, Frequency, Slide, Origin or On"

  private val sizedWords = Set("RANGE", "ROWS", "FREQUENCY", "SLIDE", "TUMBLE", "LAG")

  private val boundWords = Set("FROM", "UNTIL")

  /** The words that can begin a part. */
  val partWords: Set[String] =
    sizedWords ++ Set("NOW", "LANDMARK", "BAND", "PARTITION", "PARTITIONED", "ORIGIN", "ON")

  /**
   * Does a part begin here, and not a column of that name? A column list ends before a part, and all our words are
   * also good column names, so what follows decides.
   */
  def startsPart(cursor: TokenCursor, ahead: Int): Boolean = {
    val next = cursor.word(ahead + 1)
    lazy val nextType = cursor.typeAt(ahead + 1)
    lazy val ends = nextType == Token.EOF || nextType == TokenTypes.Comma
    cursor.word(ahead) match {
      case word if sizedWords(word) => !ends && nextType != TokenTypes.Dot && !partWords(next)
      case "NOW" => ends
      case "LANDMARK" => next == "FROM" || next == "UNTIL"
      case "BAND" => next == "FROM"
      case "PARTITION" | "PARTITIONED" => next == "BY"
      case "ORIGIN" => Instants.startsHere(cursor, ahead + 1)
      case "ON" => cursor.isName(ahead + 1)
      case _ => false
    }
  }
}
