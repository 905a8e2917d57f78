package org.sparkcsql.parse

import java.util.Locale

/**
 * Decides from the characters alone whether a text can hold anything of ours, so that plain statements cost nothing.
 *
 * It knows no comments and no strings, so it lets some texts through for nothing, but never stops one of ours. It runs
 * on every statement of the session: plain loops and tables, no collections.
 */
private[parse] object Gate {
  private val letters = 128

  private def byFirstLetter(words: Iterable[String]): Array[Array[String]] = {
    val table = Array.fill(letters)(Array.empty[String])
    words.map(_.toLowerCase(Locale.ROOT)).groupBy(_.head).foreach { case (letter, list) =>
      table(letter.toInt) = list.toArray
      table(letter.toUpper.toInt) = list.toArray
    }
    table
  }

  /** Words that begin a part of a clause, behind `[`. */
  private val clauseWords = byFirstLetter(ClauseGrammar.partWords)

  /** Words of our statements, operators and frames, anywhere. */
  private val words = byFirstLetter(
    Seq(
      "stream",
      "streams",
      "continuous",
      "aggregate",
      "aggregates",
      "istream",
      "dstream",
      "rstream",
      "slide") ++
      Seq("expiration", "preceding", "following"))

  private val wordLetters: Array[Boolean] = Array.tabulate(letters)(Character.isJavaIdentifierPart(_))

  def mayHoldOurs(text: String): Boolean = {
    var i = 0
    while (i < text.length) {
      val letter = text.charAt(i)
      if (isWordLetter(letter)) {
        val end = wordEnd(text, i)
        if (isOneOf(words, text, i, end) && !isPlainBound(text, i, end)) return true
        i = end
      } else {
        if (letter == '[' && opensClause(text, i + 1)) return true
        if (letter == '{' && i > 0 && text.charAt(i - 1) == '$') return true
        i += 1
      }
    }
    false
  }

  private def isWordLetter(letter: Char): Boolean =
    if (letter < letters) wordLetters(letter.toInt) && letter != '$'
    else Character.isJavaIdentifierPart(letter)

  private def wordEnd(text: String, start: Int): Int = {
    var end = start
    while (end < text.length && isWordLetter(text.charAt(end))) end += 1
    end
  }

  private def isOneOf(table: Array[Array[String]], text: String, start: Int, end: Int): Boolean = {
    val letter = text.charAt(start)
    if (letter >= letters) false
    else {
      val candidates = table(letter.toInt)
      var i = 0
      var found = false
      while (i < candidates.length && !found) {
        val word = candidates(i)
        found = word.length == end - start && text.regionMatches(true, start, word, 0, word.length)
        i += 1
      }
      found
    }
  }

  /** `[` and one of the words that begin a part, or a comment that may hide one. */
  private def opensClause(text: String, from: Int): Boolean = {
    var i = from
    while (i < text.length && isSpace(text.charAt(i))) i += 1
    i < text.length && {
      val letter = text.charAt(i)
      letter == '/' || letter == '-' || isOneOf(clauseWords, text, i, wordEnd(text, i))
    }
  }

  /** `PRECEDING` or `FOLLOWING` right behind a number or UNBOUNDED is a plain frame; behind a unit it is ours. */
  private def isPlainBound(text: String, start: Int, end: Int): Boolean = {
    val first = text.charAt(start)
    val isBound = end - start == 9 && (first == 'p' || first == 'P' || first == 'f' || first == 'F')
    isBound && {
      var last = start - 1
      while (last >= 0 && text.charAt(last) == ' ') last -= 1
      var before = last
      while (before >= 0 && isWordLetter(text.charAt(before))) before -= 1
      val isNumber = before < last && Character.isDigit(text.charAt(before + 1))
      isNumber || (last - before == 9 && text.regionMatches(true, before + 1, "unbounded", 0, 9))
    }
  }

  private def isSpace(letter: Char): Boolean = Character.isWhitespace(letter) || Character.isSpaceChar(letter)
}
