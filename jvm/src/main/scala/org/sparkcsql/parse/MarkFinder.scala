package org.sparkcsql.parse

import java.util.{IdentityHashMap => IdentityMap}

import scala.collection.mutable.ArrayBuffer

import org.antlr.v4.runtime.{CommonToken, Token, WritableToken}
import org.antlr.v4.runtime.misc.Pair

import org.apache.spark.sql.catalyst.parser.ParseException

import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan.StreamOperator

/**
 * Finds everything of ours among the tokens of a text, in one pass and in linear time.
 *
 * The first fault is kept, not thrown: a text that Spark accepts as it stands is not ours to refuse.
 */
private[parse] final class MarkFinder(
    tape: TokenTape,
    recorded: Array[Token],
    source: SourceText,
    isTable: String => Boolean) {
  import MarkFinder.standIn

  private val tokens = new TokenText(recorded.filter(_.getChannel == Token.DEFAULT_CHANNEL), source)
  private val brackets = new BracketPairs(tokens)
  private val context = new RelationContext
  private val frames = new OpenFrames

  private val marks = ArrayBuffer.empty[Mark]
  private val markers = ArrayBuffer.empty[Marker]
  private val insertions = new IdentityMap[Token, Token]
  private var inRelation = false
  private var certain = false
  private var hidden = 0
  private var fault: Option[ParseException] = None

  def find(isQuery: Boolean): EditedText = {
    var k = 0
    while (k < tokens.length) {
      inRelation = context.inRelation
      context.next(tokens.typeAt(k))
      frames.next(tokens.typeAt(k), tokens.typeAt(k - 1))
      k = at(k) + 1
    }
    val findings = Findings(
      marks.toSeq,
      markers.toSeq,
      fault,
      certain,
      any = hidden + insertions.size > 0 || fault.isDefined)
    new EditedText(source, tape, edited, findings, isQuery)
  }

  /** Looks at token k; returns the last token it has dealt with. */
  private def at(k: Int): Int = {
    val tokenType = tokens.typeAt(k)
    if (tokenType == TokenTypes.LeftBracket) bracket(k)
    else if (tokenType == TokenTypes.Preceding || tokenType == TokenTypes.Following) {
      interval(k)
      tail(k)
    } else if (tokenType == TokenTypes.Row) tail(k)
    else if (tokenType == TokenTypes.LeftParen) operator(k)
    else if (StatementHeads.startsBehind(tokens.typeAt(k - 1))) statement(k)
    else if (FrameTails.lacksFrame(tokens, k)) {
      certain = true
      reading(new TokenCursor(tokens, k, tokens.length - 1))(FrameTails.refuseWithoutFrame)
      k
    } else k
  }

  private def statement(k: Int): Int = StatementHeads.find(tokens, k, isTable) match {
    case None => k
    case Some(head) =>
      val end = statementEnd(k)
      certain = true
      reading(new TokenCursor(tokens, head.body, end)) { cursor =>
        val parsed = Statements.read(head, cursor)
        marks += Mark.Statement(head.kind, parsed, tokens(k), tokens(end - 1))
      }
      retype(k, standIn._1)
      retype(k + 1, standIn._2)
      hide(k + 2, end - 1)
      end - 1
  }

  /** The semicolon or the end of the text; aggregates have semicolons inside their braces. */
  private def statementEnd(from: Int): Int = {
    var depth = 0
    var k = from
    while (k < tokens.length - 1 && (depth > 0 || tokens.typeAt(k) != TokenTypes.Semicolon)) {
      if (Braces.is(tokens, k, "{")) depth += 1
      else if (Braces.is(tokens, k, "}")) depth -= 1
      k += 1
    }
    k
  }

  private def bracket(open: Int): Int = {
    val close = brackets.close(open)
    if (!BracketLooks.likeClause(tokens, open, inRelation)) open
    else if (close < 0) {
      certain = true
      reading(new TokenCursor(tokens, open, tokens.length - 1))(refuseUnclosed)
      open
    } else {
      certain ||= !BracketLooks.ambiguous(tokens, open)
      reading(new TokenCursor(tokens, open + 1, close)) { cursor =>
        val clause = new ClauseGrammar(cursor).clause(source.origin(tokens(open), tokens(close)))
        marks += Mark.Bracket(clause, before(open, close), tokens(open), tokens(close))
      }
      hide(open, close)
      close
    }
  }

  /**
   * The visible token a clause stands behind. A clause that is an element of a SELECT list of its own takes one comma
   * with it, and the clause in `(SELECT …) AS PulseRate PR [Range 1 Hour]` the first of the two names.
   */
  private def before(open: Int, close: Int): Token = {
    val isElement = !inRelation && BracketLooks.endsSelectElement(tokens.typeAt(close + 1))
    val anchor =
      if (isElement && BracketLooks.opensSelect(tokens, open - 1)) {
        if (tokens.typeAt(close + 1) != TokenTypes.Comma) refuseLonely(open, close)
        hide(close + 1, close + 1)
        open - 1
      } else if (isElement && tokens.typeAt(open - 1) == TokenTypes.Comma) {
        hide(open - 1, open - 1)
        open - 2
      } else open - 1
    if (inRelation)
      BracketLooks.extraName(tokens, open).foreach { case (from, to) => hide(from, to) }
    tokens(anchor)
  }

  private def refuseUnclosed(cursor: TokenCursor): Nothing = cursor.fail(
    "CSQL_CLAUSE_INCOMPLETE",
    "part" -> "The clause",
    "missing" -> "a closing bracket",
    "hint" -> "Write ']' behind its last word.")

  private def refuseLonely(open: Int, close: Int): Nothing = CsqlErrors.syntax(
    "CSQL_CLAUSE_INCOMPLETE",
    source.origin(tokens(open), tokens(close)),
    "part" -> "The clause",
    "missing" -> "something to sample",
    "hint" -> "Write at least one column into the SELECT list, as in SELECT a [Frequency 10 Tuples] FROM s."
  )

  /** `RANGE 1 HOUR PRECEDING` gets the word INTERVAL that Spark wants, without width. */
  private def interval(bound: Int): Unit = {
    val cursor = new TokenCursor(tokens, bound - 2, bound)
    val marked = cursor.isMarker(-1) && tokens.typeAt(bound - 3) == TokenTypes.Colon
    val number = if (marked) bound - 3 else bound - 2
    val start = tokens.typeAt(number - 1)
    val isNumber = marked || cursor.isMarker() || tokens.typeAt(number) == TokenTypes.Integer
    val isFrame = start == TokenTypes.Range ||
      ((start == TokenTypes.Between || start == TokenTypes.And) && Units.find(
        tokens.word(bound - 1)).isDefined)
    if (isNumber && isFrame && tokens.word(bound - 1).nonEmpty) {
      cursor.advance()
      certain = true
      reading(cursor)(c => FrameTails.checkUnit(c))
      if (tokens.typeAt(number) == TokenTypes.Integer)
        reading(new TokenCursor(tokens, number, bound))(c => FrameTails.checkLength(c))
      insertions.put(tokens(number), zeroWidth(TokenTypes.Interval, tokens(number)))
    }
  }

  private def tail(bound: Int): Int = {
    val end = FrameTails.end(tokens, bound + 1)
    if (end < 0 || !frames.any) bound
    else {
      certain = true
      reading(new TokenCursor(tokens, bound + 1, end)) { cursor =>
        marks += Mark.Tail(FrameTails.read(cursor), tokens(bound), tokens(bound + 1), tokens(end - 1))
      }
      hide(bound + 1, end - 1)
      end - 1
    }
  }

  private def operator(open: Int): Int = {
    val found = StreamOperator.all.find(_.name == tokens.word(open - 1))
    if (found.isDefined && OperatorLooks.aroundQuery(tokens, open, inRelation)) {
      certain ||= open == 1
      marks += Mark.Operator(found.get, tokens(open), tokens(open - 1))
      hide(open - 1, open - 1)
    }
    open
  }

  private def reading(cursor: TokenCursor)(read: TokenCursor => Unit): Unit =
    if (fault.isEmpty)
      try {
        read(cursor)
        markers ++= cursor.markers
      } catch { case e: ParseException => fault = Some(e) }

  private def hide(from: Int, to: Int): Unit = {
    hidden += 1
    (from to to).foreach(tokens(_).asInstanceOf[WritableToken].setChannel(Token.HIDDEN_CHANNEL))
  }

  private def retype(index: Int, tokenType: Int): Unit = {
    hidden += 1
    tokens(index).asInstanceOf[WritableToken].setType(tokenType)
  }

  private def zeroWidth(tokenType: Int, next: Token): Token = {
    val token = new CommonToken(
      new Pair(next.getTokenSource, next.getInputStream),
      tokenType,
      Token.DEFAULT_CHANNEL,
      next.getStartIndex,
      next.getStartIndex - 1)
    token.setLine(next.getLine)
    token.setCharPositionInLine(next.getCharPositionInLine)
    token
  }

  private def edited: Array[Token] =
    if (insertions.isEmpty) recorded
    else recorded.flatMap(token => Option(insertions.get(token)).toSeq :+ token)
}

private object MarkFinder {

  /** A statement of Spark's that is made of two words and nothing else: ours take its place in the grammar. */
  private val standIn = (TokenTypes.of("CLEAR"), TokenTypes.of("CACHE"))
}
