package org.sparkcsql.parse

import org.antlr.v4.runtime.Token

import org.apache.spark.sql.catalyst.parser.{CsqlParserAccess, ParseException}

/**
 * Everything of ours in a text.
 *
 * @param marks what Spark's parser does not see
 * @param markers parameter markers inside of it
 * @param fault the first thing wrong with it
 * @param certain Spark alone could not mean anything by this text
 * @param any false if there is nothing of ours at all
 */
private[parse] final case class Findings(
    marks: Seq[Mark],
    markers: Seq[Marker],
    fault: Option[ParseException],
    certain: Boolean,
    any: Boolean)

private[parse] object Findings {
  val none: Findings = Findings(Nil, Nil, None, certain = false, any = false)
}

/** A text whose tokens are ready for Spark's parser; `isQuery` if it can only be a query. */
private[parse] final class EditedText(
    val source: SourceText,
    tape: TokenTape,
    tokens: Array[Token],
    val findings: Findings,
    val isQuery: Boolean) {

  /** A token source that plays the edited tokens from the beginning. */
  def play(): TokenTape = tape.play(tokens)

  /** The queries that statements of ours are about. */
  def queries: Seq[EditedText] =
    findings.marks.collect { case mark: Mark.Statement => mark.statement.queries }.flatten
}

private[parse] object EditedText {

  /** A whole text; `isTable` tells whether there is a table of some name. */
  def apply(source: SourceText, isTable: String => Boolean): EditedText = {
    val tape = new TokenTape(CsqlParserAccess.charStream(source.parsed))
    new MarkFinder(tape, tape.record(), source, isTable).find(isQuery = false)
  }

  /** A query out of a text: copies of its tokens, and EOF. */
  def ofQuery(tokens: Array[Token], source: SourceText): EditedText = {
    val tape = new TokenTape(tokens.head.getTokenSource.getInputStream)
    new MarkFinder(tape, tokens, source, _ => true).find(isQuery = true)
  }
}
