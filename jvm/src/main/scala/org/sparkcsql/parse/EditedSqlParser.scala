package org.sparkcsql.parse

import scala.jdk.CollectionConverters._

import org.antlr.v4.runtime.{CommonTokenStream, ParserRuleContext, Token}

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.parser._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.WithOrigin
import org.apache.spark.sql.execution.SparkSqlParser
import org.apache.spark.sql.internal.SQLConf

/** Spark's parser over the edited tokens of one text. Made for one statement, and used once. */
private[parse] final class EditedSqlParser(text: EditedText) extends SparkSqlParser {
  private val ownership = new Ownership(text)

  override val astBuilder: CsqlAstBuilder = new CsqlAstBuilder(text.source, ownership)

  /** The command is the edited text: variables and parameters are replaced before the tokens are read. */
  override protected def parse[T](command: String)(toResult: SqlBaseParser => T): T =
    try run(toResult)
    catch {
      case e: ParseException => throw earliest(e)
      case e: SparkThrowable with WithOrigin =>
        throw new ParseException(
          command = Option(text.source.parsed),
          start = e.origin,
          errorClass = e.getCondition,
          messageParameters = e.getMessageParameters.asScala.toMap,
          queryContext = e.getQueryContext
        )
    }

  private def run[T](toResult: SqlBaseParser => T): T = {
    val tokens = new CommonTokenStream(text.play())
    val parser = new SqlBaseParser(tokens)
    AbstractParser.configureParser(parser, text.source.parsed, tokens, SQLConf.get)
    try {
      val result = AbstractParser.executeWithTwoStageStrategy(parser, tokens, toResult)
      text.findings.fault.foreach(throw _)
      result
    } finally CsqlParserAccess.maybeClearCaches(parser, SQLConf.get)
  }

  /** The user reads from the left: of Spark's fault and ours, tell the first. */
  private def earliest(e: ParseException): ParseException = {
    def place(error: ParseException) = (error.line.getOrElse(0), error.startPosition.getOrElse(0))
    text.findings.fault match {
      case Some(ours) if Ordering[(Int, Int)].lteq(place(ours), place(e)) => ours
      case _ if e.command.isEmpty => e.withCommand(text.source.parsed)
      case _ => e
    }
  }

  /** The parse tree alone, to find the parameter markers in it. */
  def tree(): ParserRuleContext = parse(text.source.parsed) { parser =>
    if (text.isQuery) parser.singleQuery() else parser.compoundOrSingleStatement()
  }

  /** `(key = value, …)`. */
  def parseOptions(sqlText: String): Map[String, String] = parse(sqlText) { parser =>
    astBuilder.visitPropertyKeyValues(parser.propertyList())
  }

  /** Every entry point passes here between the parse tree and the plan. */
  override def withErrorHandling[T](ctx: ParserRuleContext, sqlText: Option[String])(toResult: => T): T = {
    text.findings.fault.foreach(throw _)
    ownership.assign(ctx)
    val result = super.withErrorHandling(ctx, sqlText)(toResult)
    ownership.checkAllUsed()
    result
  }
}

private[parse] object EditedSqlParser {

  /** A parser for a few tokens out of a text, with nothing of ours in them. */
  def ofSlice(tokens: Array[Token], source: SourceText): EditedSqlParser = {
    val tape = new TokenTape(tokens.head.getTokenSource.getInputStream)
    new EditedSqlParser(new EditedText(source, tape, tokens, Findings.none, isQuery = false))
  }

  def parseQuery(text: EditedText): LogicalPlan = new EditedSqlParser(text).parseQuery(text.source.parsed)
}
