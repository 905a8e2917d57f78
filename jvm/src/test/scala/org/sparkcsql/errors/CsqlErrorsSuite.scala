package org.sparkcsql.errors

import scala.io.Source
import scala.jdk.CollectionConverters._

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.trees.Origin
import org.scalatest.funsuite.AnyFunSuite

class CsqlErrorsSuite extends AnyFunSuite {
  private val text = "SELECT *\nFROM S [Range 0 Hours]"
  private val place = Origin(Some(2), Some(14), Some(23), Some(23), Some(text))
  private val length = Seq("length" -> "0", "part" -> "Range", "least" -> "1")

  private lazy val conditions: Seq[String] = {
    val json = Source.fromResource("error/csql-error-conditions.json").mkString
    "\"(CSQL_[A-Z_]+)\"".r.findAllMatchIn(json).map(_.group(1)).toSeq
  }

  private def check(error: AnalysisException): Unit = {
    assert(error.getCondition == "CSQL_LENGTH_NOT_POSITIVE")
    assert(error.getSqlState == "42601")
    assert(error.getMessageParameters.asScala == length.toMap)
    assert(error.getMessage.contains("[CSQL_LENGTH_NOT_POSITIVE] The length 0 of Range is not positive."))
    assert(error.getMessage.contains("(line 2, pos 14)"))
    assert(error.getMessage.contains("FROM S [Range 0 Hours]\n              ^\n"))
    assert(error.getQueryContext.map(_.fragment).toSeq == Seq("0"))
    assert(error.line.contains(2) && error.startPosition.contains(14))
  }

  test("a syntax error is a ParseException of our condition with place and caret") {
    check(intercept[ParseException](CsqlErrors.syntax("CSQL_LENGTH_NOT_POSITIVE", place, length: _*)))
  }

  test("an analysis error carries the same") {
    check(intercept[AnalysisException](CsqlErrors.analysis("CSQL_LENGTH_NOT_POSITIVE", place, length: _*)))
  }

  test("copies that Spark makes keep condition, state and text") {
    val error = intercept[ParseException](CsqlErrors.syntax("CSQL_LENGTH_NOT_POSITIVE", place, length: _*))
    val copy = error.copy(line = Some(7))
    assert(copy.getCondition == error.getCondition && copy.getSqlState == error.getSqlState)
    assert(copy.message == error.message)
    assert(error.withCommand("x") eq error)
  }

  test("a runtime error is a SparkThrowable") {
    CsqlErrors.runtime("CSQL_NULL_TIME", "column" -> "ts") match {
      case e: SparkThrowable =>
        assert(e.getCondition == "CSQL_NULL_TIME" && e.getSqlState == "22004")
        assert(e.getMessageParameters.asScala == Map("column" -> "ts"))
      case other => fail(other)
    }
  }

  test("an error without a place is only its message") {
    val error =
      intercept[AnalysisException](CsqlErrors.analysis("CSQL_NULL_TIME", Origin(), "column" -> "ts"))
    assert(error.getMessage.startsWith("[CSQL_NULL_TIME]") && !error.getMessage.contains("line"))
    assert(error.getQueryContext.isEmpty)
  }

  test("every condition has a state, a sentence, and no parameter twice by accident of spelling") {
    assert(conditions.size > 20 && conditions.distinct == conditions)
    assert(conditions.sorted == conditions.sorted.distinct)
    conditions.foreach { condition =>
      assert(ErrorConditions.sqlState(condition).matches("[0-9A-Z]{5}"), condition)
      val parameters = ErrorConditions.parameters(condition)
      val message = ErrorConditions.render(condition, parameters.map(_ -> "value").toMap)
      assert(!message.contains("<"), message)
    }
  }
}
