package org.sparkcsql.parse

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.catalyst.parser.SqlBaseParser
import org.apache.spark.sql.catalyst.trees.Origin

import org.sparkcsql.errors.CsqlErrors

/**
 * Numbers of the token types of the running Spark.
 *
 * They are looked up by name, because the constants of the generated lexer are copied into our class files by the
 * compiler and another Spark may number its tokens differently.
 */
private[parse] object TokenTypes {
  private val vocabulary = SqlBaseParser.VOCABULARY

  private val byName: Map[String, Int] =
    (1 to vocabulary.getMaxTokenType).map(number => vocabulary.getSymbolicName(number) -> number).toMap

  /** The version whose parser classes this build extends. */
  private val expectedVersion = "4.2"

  def of(name: String): Int = byName.getOrElse(name, refuseVersion())

  def setOf(names: String): Set[Int] = names.split(" ").map(of).toSet

  def checkVersion(): Unit = if (!SPARK_VERSION.startsWith(expectedVersion + ".")) refuseVersion()

  private def refuseVersion(): Nothing = CsqlErrors.analysis(
    "CSQL_VERSION_UNSUPPORTED",
    Origin(),
    "expected" -> expectedVersion,
    "actual" -> SPARK_VERSION)

  val And: Int = of("AND")
  val As: Int = of("AS")
  val BackquotedIdentifier: Int = of("BACKQUOTED_IDENTIFIER")
  val Between: Int = of("BETWEEN")
  val Changes: Int = of("CHANGES")
  val Colon: Int = of("COLON")
  val Comma: Int = of("COMMA")
  val Dot: Int = of("DOT")
  val DoubleQuotedString: Int = of("DOUBLEQUOTED_STRING")
  val DoubleColon: Int = of("DOUBLE_COLON")
  val Following: Int = of("FOLLOWING")
  val From: Int = of("FROM")
  val Identifier: Int = of("IDENTIFIER")
  val Integer: Int = of("INTEGER_VALUE")
  val Interval: Int = of("INTERVAL")
  val Join: Int = of("JOIN")
  val LeftBracket: Int = of("LEFT_BRACKET")
  val LeftParen: Int = of("LEFT_PAREN")
  val Minus: Int = of("MINUS")
  val NotEqual: Int = of("NEQ")
  val Preceding: Int = of("PRECEDING")
  val Question: Int = of("QUESTION")
  val Range: Int = of("RANGE")
  val RightBracket: Int = of("RIGHT_BRACKET")
  val RightParen: Int = of("RIGHT_PAREN")
  val Row: Int = of("ROW")
  val Select: Int = of("SELECT")
  val Semicolon: Int = of("SEMICOLON")
  val StringLiteral: Int = of("STRING_LITERAL")
  val Struct: Int = of("STRUCT")

  /** Every spelling of a number: `1`, `1.5`, `1e3`, `1L`, `1.5D`, … */
  val numbers: Set[Int] = setOf(
    "INTEGER_VALUE DECIMAL_VALUE EXPONENT_VALUE BIGINT_LITERAL SMALLINT_LITERAL TINYINT_LITERAL FLOAT_LITERAL " +
      "DOUBLE_LITERAL BIGDECIMAL_LITERAL")
}
