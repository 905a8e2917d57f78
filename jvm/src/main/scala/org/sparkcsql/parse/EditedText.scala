package org.sparkcsql.parse

import org.antlr.v4.runtime.Token

import org.apache.spark.sql.catalyst.parser.{CsqlParserAccess, ParseException}

/**
 * A text whose tokens are ready for Spark's parser, with everything of ours taken out of its sight.
 *
 * @param marks what was taken out
 * @param markers parameter markers inside of it
 * @param fault the first thing wrong with it
 * @param certain Spark alone could not mean anything by this text
 * @param touched false if there is nothing of ours at all
 */
private[parse] final class EditedText(
    val source: SourceText,
    tape: TokenTape,
    tokens: Array[Token],
    val marks: Seq[Mark],
    val markers: Seq[Marker],
    val fault: Option[ParseException],
    val certain: Boolean,
    val touched: Boolean) {

  /** A token source that plays the edited tokens from the beginning. */
  def play(): TokenTape = tape.play(tokens)
}

private[parse] object EditedText {
  def apply(source: SourceText): EditedText = {
    val tape = new TokenTape(CsqlParserAccess.charStream(source.parsed))
    new MarkFinder(tape, tape.record(), source).find()
  }
}
