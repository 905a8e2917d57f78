package org.sparkcsql.parse

import org.antlr.v4.runtime.Token

import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}

/** A stretch of the parsed text that stands for a parameter marker of the written text; ends are exclusive. */
private[parse] final case class Replacement(start: Int, end: Int, writtenStart: Int, writtenEnd: Int)

/**
 * The text given to the parser, and the text as the user wrote it, which differ where parameters were bound.
 *
 * Tokens count positions in code points of the parsed text; an [[Origin]] wants UTF-16 offsets into the written one.
 */
private[parse] final class SourceText(
    val parsed: String,
    val written: String,
    val replacements: IndexedSeq[Replacement]) {

  private val enclosing = CurrentOrigin.get

  /** Offset of each code point, only where the two ways of counting differ. */
  private lazy val offsets: Option[Array[Int]] =
    if (parsed.codePointCount(0, parsed.length) == parsed.length) None
    else {
      val starts = new Array[Int](parsed.codePointCount(0, parsed.length) + 1)
      (1 until starts.length).foreach(i => starts(i) = parsed.offsetByCodePoints(starts(i - 1), 1))
      Some(starts)
    }

  private lazy val lineStarts: Array[Int] =
    0 +: written.indices.filter(written.charAt(_) == '\n').map(_ + 1).toArray

  def offset(codePoint: Int): Int = offsets.fold(codePoint)(_(codePoint))

  /** The marker whose value this token is part of. */
  def replacement(token: Token): Option[Replacement] = {
    val at = offset(token.getStartIndex)
    lastStartingBy(at).filter(at < _.end)
  }

  /** The user's own spelling of these tokens. */
  def textOf(first: Token, last: Token): String = {
    val (start, end) = span(first, last)
    written.substring(start, end)
  }

  def textOf(token: Token): String =
    if (token.getType == Token.EOF) "the end of the statement" else s"'${textOf(token, token)}'"

  def origin(token: Token): Origin = origin(token, token)

  def origin(first: Token, last: Token): Origin = {
    val (start, end) = span(first, last)
    val (line, column) =
      if (replacements.isEmpty) (first.getLine, first.getCharPositionInLine)
      else place(if (first.getType == Token.EOF) written.length else start)
    Origin(
      line = Some(line),
      startPosition = Some(column),
      startIndex = Some(start),
      stopIndex = Some(math.max(start, end - 1)),
      sqlText = Some(written),
      objectType = enclosing.objectType,
      objectName = enclosing.objectName
    )
  }

  private def span(first: Token, last: Token): (Int, Int) =
    if (first.getType == Token.EOF) (math.max(0, written.length - 1), written.length)
    else (
      toWritten(offset(first.getStartIndex), end = false),
      toWritten(offset(last.getStopIndex + 1), end = true))

  private def toWritten(at: Int, end: Boolean): Int = lastStartingBy(if (end) at - 1 else at) match {
    case None => at
    case Some(r) if end && at <= r.end => r.writtenEnd
    case Some(r) if !end && at < r.end => r.writtenStart
    case Some(r) => at + r.writtenEnd - r.end
  }

  private def lastStartingBy(at: Int): Option[Replacement] = {
    var low = 0
    var high = replacements.length
    while (low < high) {
      val middle = (low + high) >>> 1
      if (replacements(middle).start <= at) low = middle + 1 else high = middle
    }
    replacements.lift(low - 1)
  }

  private def place(at: Int): (Int, Int) = {
    val found = java.util.Arrays.binarySearch(lineStarts, at)
    val line = if (found >= 0) found else -found - 2
    (line + 1, written.codePointCount(lineStarts(line), at))
  }
}

private[parse] object SourceText {
  def apply(text: String): SourceText = new SourceText(text, text, IndexedSeq.empty)
}
