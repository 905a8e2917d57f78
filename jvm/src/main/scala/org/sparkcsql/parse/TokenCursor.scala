package org.sparkcsql.parse

import java.util.Locale

import scala.collection.mutable.ArrayBuffer

import org.antlr.v4.runtime.Token

import org.apache.spark.sql.catalyst.parser.ParserUtils
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.internal.SQLConf

import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan.ColumnName

/**
 * Reads our own syntax from the visible tokens `from until end`.
 *
 * Keywords are told by their text and their place only, never by token type: none of ours is reserved.
 */
private[parse] final class TokenCursor(val tokens: TokenText, from: Int, end: Int) {
  private var position = from

  /** Parameter markers met where a value may stand. */
  val markers: ArrayBuffer[Marker] = ArrayBuffer.empty

  def index: Int = position
  def limit: Int = end
  def done: Boolean = position >= end
  def current: Token = tokens(position)
  def previous: Token = tokens(position - 1)
  def typeAt(ahead: Int): Int = if (position + ahead < end) tokens(position + ahead).getType else Token.EOF

  /** The upper-case word at some distance; empty for quoted names, strings, symbols and behind the end. */
  def word(ahead: Int = 0): String = if (position + ahead < end) tokens.word(position + ahead) else ""

  def advance(count: Int = 1): Unit = position += count

  def take(words: String*): Boolean = {
    val found = words.indices.forall(i => word(i) == words(i))
    if (found) advance(words.length)
    found
  }

  def takeType(tokenType: Int): Boolean = {
    val found = !done && current.getType == tokenType
    if (found) advance()
    found
  }

  def at: Origin = tokens.source.origin(current)
  def since(first: Token): Origin = tokens.source.origin(first, previous)

  /** What stands here, for messages. */
  def found: String = tokens.source.textOf(current)

  def isMarker(ahead: Int = 0): Boolean = typeAt(ahead) == TokenTypes.Question ||
    (typeAt(ahead) == TokenTypes.Colon && TokenText.isWordLike(typeAt(ahead + 1), word(ahead + 1)))

  /** Takes `?` or `:name`. */
  def marker(use: MarkerUse): Marker = {
    val first = current
    advance(if (first.getType == TokenTypes.Question) 1 else 2)
    val taken = Marker(first, previous, use)
    markers += taken
    taken
  }

  /** True if a name can stand here; a name may be any word or quoted. */
  def isName(ahead: Int = 0): Boolean = {
    val tokenType = typeAt(ahead)
    TokenText.isWordLike(tokenType, word(ahead)) || tokenType == TokenTypes.BackquotedIdentifier ||
    (tokenType == TokenTypes.DoubleQuotedString && SQLConf.get.doubleQuotedIdentifiers)
  }

  /** A name of one or more parts, or None where none stands. */
  def qualifiedName(): Option[ColumnName] = if (!isName()) None
  else {
    val first = current
    val parts = ArrayBuffer(namePart())
    while (typeAt(0) == TokenTypes.Dot && isName(1)) {
      advance()
      parts += namePart()
    }
    Some(ColumnName(parts.toSeq, since(first)))
  }

  private def namePart(): String = {
    val token = current
    advance()
    if (token.getType == TokenTypes.BackquotedIdentifier) unquote(token, "`")
    else if (token.getType == TokenTypes.DoubleQuotedString) unquote(token, "\"")
    else token.getText
  }

  private def unquote(token: Token, quote: String): String =
    token.getText.substring(1, token.getText.length - 1).replace(quote + quote, quote)

  def isString: Boolean = typeAt(0) == TokenTypes.StringLiteral ||
    (typeAt(0) == TokenTypes.DoubleQuotedString && !SQLConf.get.doubleQuotedIdentifiers)

  /** The value of the string literal that stands here. */
  def string(): String = {
    val value = ParserUtils.string(current)
    advance()
    value
  }

  def fail(condition: String, parameters: (String, String)*): Nothing =
    CsqlErrors.syntax(condition, at, parameters: _*)
}

/** What a parameter may be bound to. */
private[parse] sealed trait MarkerUse
private[parse] object MarkerUse {
  case object Length extends MarkerUse
  case object Value extends MarkerUse
}

/** `?` or `:name` inside our own syntax. */
private[parse] final case class Marker(first: Token, last: Token, use: MarkerUse)

/** The visible tokens of a text, with the words they spell. */
private[parse] final class TokenText(val visible: Array[Token], val source: SourceText) {
  def apply(index: Int): Token = visible(math.max(0, math.min(index, visible.length - 1)))
  def length: Int = visible.length
  def typeAt(index: Int): Int = if (index < 0) Token.INVALID_TYPE else apply(index).getType

  /** The upper-case word at an index; empty for everything that is no bare word. */
  def word(index: Int): String = if (index < 0 || index >= length) ""
  else {
    val text = visible(index).getText
    if (visible(index).getType == Token.EOF || !TokenText.startsWord(text.charAt(0))) ""
    else text.toUpperCase(Locale.ROOT)
  }
}

private[parse] object TokenText {
  def startsWord(letter: Char): Boolean = Character.isLetter(letter) || letter == '_'

  /** Words, and names that begin with a digit. */
  def isWordLike(tokenType: Int, word: String): Boolean =
    (word.nonEmpty && tokenType != TokenTypes.StringLiteral) || tokenType == TokenTypes.Identifier
}
