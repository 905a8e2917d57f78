package org.sparkcsql.parse

import scala.util.Try

import org.apache.spark.sql.{AnalysisException, SparkSession}
import org.apache.spark.sql.catalyst.{FunctionIdentifier, TableIdentifier}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser.{ParameterContext, ParseException, ParserInterface}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}
import org.apache.spark.sql.internal.VariableSubstitution
import org.apache.spark.sql.types.{DataType, StructType}

import org.sparkcsql.errors.CsqlErrors

/**
 * The parser of the session: what holds something of ours is parsed here, everything else by the parser that was
 * there before, untouched.
 *
 * Every method of the interface is forwarded by hand, because the defaults of some drop what they are given.
 */
final class CsqlParser private (session: SparkSession, delegate: ParserInterface) extends ParserInterface {
  private val variables = new VariableSubstitution

  override def parsePlan(sqlText: String): LogicalPlan =
    route(sqlText)(delegate.parsePlan(sqlText)) { text =>
      ParameterBinding.refuseUnbound(text)
      new EditedSqlParser(text).parsePlan(text.source.parsed)
    }

  override def parsePlanWithParameters(sqlText: String, parameters: ParameterContext): LogicalPlan =
    route(sqlText)(delegate.parsePlanWithParameters(sqlText, parameters)) { text =>
      val bound = ParameterBinding.bind(text, parameters)
      val origin =
        if (ParameterBinding.hasValues(parameters)) ParameterBinding.origin(bound) else CurrentOrigin.get
      val complete = EditedText(bound.source, isTable)
      ParameterBinding.refuseUnbound(complete)
      CurrentOrigin.withOrigin(origin)(new EditedSqlParser(complete).parsePlan(bound.source.written))
    }

  override def parseQuery(sqlText: String): LogicalPlan =
    route(sqlText)(delegate.parseQuery(sqlText)) { text =>
      ParameterBinding.refuseUnbound(text)
      new EditedSqlParser(text).parseQuery(text.source.parsed)
    }

  override def parseExpression(sqlText: String): Expression =
    route(sqlText)(delegate.parseExpression(sqlText)) { text =>
      ParameterBinding.refuseUnbound(text)
      new EditedSqlParser(text).parseExpression(text.source.parsed)
    }

  override def parseTableIdentifier(sqlText: String): TableIdentifier = delegate.parseTableIdentifier(sqlText)
  override def parseFunctionIdentifier(sqlText: String): FunctionIdentifier =
    delegate.parseFunctionIdentifier(sqlText)
  override def parseMultipartIdentifier(sqlText: String): Seq[String] =
    delegate.parseMultipartIdentifier(sqlText)
  override def parseTableSchema(sqlText: String): StructType = delegate.parseTableSchema(sqlText)
  override def parseDataType(sqlText: String): DataType = delegate.parseDataType(sqlText)
  override def parseRoutineParam(sqlText: String): StructType = delegate.parseRoutineParam(sqlText)

  private def route[T](sqlText: String)(plain: => T)(ours: EditedText => T): T = guarded(sqlText) {
    if (!Gate.mayHoldOurs(sqlText)) plain
    else {
      val text = if (sqlText.contains("${")) variables.substitute(sqlText) else sqlText
      if ((text ne sqlText) && !Gate.mayHoldOurs(text)) plain
      else {
        val edited = EditedText(SourceText(text), isTable)
        if (!edited.findings.any) plain
        else if (edited.findings.certain) CsqlParser.certainly(ours(edited))(plain)
        else CsqlParser.possibly(plain)(ours(edited))
      }
    }
  }

  private def isTable(name: String): Boolean = Try(session.catalog.tableExists(name)).getOrElse(false)

  /** Stock Spark dies of texts that are nested too deeply; a session should survive them. */
  private def guarded[T](sqlText: String)(parse: => T): T = {
    Nesting.check(sqlText)
    try parse
    catch {
      case _: StackOverflowError =>
        val place = Origin(Some(1), Some(0), Some(0), Some(0), Some(sqlText))
        CsqlErrors.syntax("CSQL_TEXT_TOO_DEEP", place)
    }
  }
}

object CsqlParser {

  /** Our parser around the session's; only once, also when the extension is configured twice. */
  def wrap(session: SparkSession, delegate: ParserInterface): ParserInterface = delegate match {
    case ours: CsqlParser => ours
    case other =>
      TokenTypes.checkVersion()
      new CsqlParser(session, other)
  }

  /** Ours, unless it cannot be ours and Spark accepts the text as it stands, as in `SET k = [Range 5 Rows]`. */
  private def certainly[T](ours: => T)(plain: => T): T =
    try ours
    catch {
      case refused: AnalysisException if refused.getCondition != tooComplex =>
        try plain
        catch { case _: ParseException | _: StackOverflowError => throw refused }
    }

  /** Plain, unless only ours can be meant, as in `FROM s [Now]`. If neither, the reading that got further is told. */
  private def possibly[T](plain: => T)(ours: => T): T =
    try plain
    catch {
      case refused: ParseException if refused.getCondition != tooComplex =>
        try ours
        catch { case e: ParseException if isMisplaced(e) || !isFurther(e, refused) => throw refused }
    }

  /** Spark's own word for a text that overflows its stack; trying again would only take longer. */
  private val tooComplex = "FAILED_TO_PARSE_TOO_COMPLEX"

  private def isMisplaced(e: ParseException): Boolean = e.getCondition == "CSQL_CLAUSE_MISPLACED"

  private def isFurther(e: ParseException, other: ParseException): Boolean = {
    def place(error: ParseException) = (error.line.getOrElse(0), error.startPosition.getOrElse(0))
    other.getCondition == "PARSE_SYNTAX_ERROR" && Ordering[(Int, Int)].gt(place(e), place(other))
  }
}
