package org.sparkcsql.parse

/**
 * Decides from the characters alone whether a text can hold anything of ours, so that plain statements cost nothing.
 *
 * It knows no comments and no strings, so it lets some texts through for nothing, but never stops one of ours.
 */
private[parse] object Gate {
  private val clauseWords = ClauseGrammar.partWords.toSeq.map(_.toLowerCase(java.util.Locale.ROOT))
  private val statementWords = Seq("stream", "streams", "continuous", "aggregate", "aggregates")
  private val operatorWords = Seq("istream", "dstream", "rstream")
  private val frameWords = Seq("slide", "expiration")

  private val words: Map[Char, Seq[String]] =
    (statementWords ++ operatorWords ++ frameWords).groupBy(_.head)
  private val clauses: Map[Char, Seq[String]] = clauseWords.groupBy(_.head)

  def mayHoldOurs(text: String): Boolean = {
    var i = 0
    while (i < text.length) {
      val letter = text.charAt(i)
      if (letter == '[') {
        if (opensClause(text, i + 1)) return true
        i += 1
      } else if (letter == '$' && text.startsWith("${", i)) return true
      else if (TokenText.startsWord(letter)) {
        val end = wordEnd(text, i)
        if (isOurWord(text, i, end) || isTimedBound(text, i, end)) return true
        i = end
      } else i += 1
    }
    false
  }

  private def wordEnd(text: String, start: Int): Int = {
    var end = start
    while (end < text.length && Character.isJavaIdentifierPart(text.charAt(end))) end += 1
    math.max(end, start + 1)
  }

  private def isOurWord(text: String, start: Int, end: Int): Boolean =
    Character.toLowerCase(text.charAt(start)) match {
      case letter @ ('s' | 'c' | 'a' | 'i' | 'd' | 'r' | 'e') => matches(words(letter), text, start, end)
      case _ => false
    }

  /** `[` and one of the words that begin a part, or a comment that may hide one. */
  private def opensClause(text: String, from: Int): Boolean = {
    var i = from
    while (i < text.length && isSpace(text.charAt(i))) i += 1
    i < text.length && {
      val letter = Character.toLowerCase(text.charAt(i))
      letter == '/' || letter == '-' ||
      clauses.get(letter).exists(matches(_, text, i, wordEnd(text, i)))
    }
  }

  /** `PRECEDING` or `FOLLOWING`, unless it stands right behind a number or UNBOUNDED, as in plain frames. */
  private def isTimedBound(text: String, start: Int, end: Int): Boolean = end - start == 9 &&
    (text.regionMatches(true, start, "preceding", 0, 9) || text.regionMatches(
      true,
      start,
      "following",
      0,
      9)) && {
      var last = start - 1
      while (last >= 0 && text.charAt(last) == ' ') last -= 1
      var first = last
      while (first >= 0 && Character.isJavaIdentifierPart(text.charAt(first))) first -= 1
      val isNumber = first < last && Character.isDigit(text.charAt(first + 1))
      val isUnbounded = last - first == 9 && text.regionMatches(true, first + 1, "unbounded", 0, 9)
      !isNumber && !isUnbounded
    }

  private def isSpace(letter: Char): Boolean = Character.isWhitespace(letter) || Character.isSpaceChar(letter)

  private def matches(words: Seq[String], text: String, start: Int, end: Int): Boolean =
    words.exists(word => word.length == end - start && text.regionMatches(true, start, word, 0, word.length))
}
