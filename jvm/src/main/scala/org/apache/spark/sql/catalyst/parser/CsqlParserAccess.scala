package org.apache.spark.sql.catalyst.parser

import org.antlr.v4.runtime.{CharStream, CharStreams}

import org.apache.spark.sql.internal.SqlApiConf

/** Opens the two members of Spark's parser package that are needed to run its parser over edited tokens. */
object CsqlParserAccess {
  def charStream(text: String): CharStream = new UpperCaseCharStream(CharStreams.fromString(text))

  def maybeClearCaches(parser: SqlBaseParser, conf: SqlApiConf): Unit =
    AbstractParser.maybeClearParserCaches(parser, conf)
}
