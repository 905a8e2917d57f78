package org.sparkcsql.source

import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite
import org.sparkcsql.errors.CsqlAnalysisException

class SourceUriSuite extends AnyFunSuite {
  private val two = StructType.fromDDL("a INT, b STRING")
  private val line = StructType.fromDDL("line STRING")

  private def read(uri: String, columns: StructType = two) =
    new SourceUri(uri, columns, "s", Origin()).definition

  private def told(uri: String, columns: StructType = two) = {
    val source = read(uri, columns)
    (source.provider, source.lines.map(_.name).getOrElse(""), source.options)
  }

  test("folders of files") {
    assert(told("json:/in") == (("json", "", Map("path" -> "/in"))))
    assert(told("CSV:/in?header=true&sep=%3B") ==
      (("csv", "", Map("path" -> "/in", "header" -> "true", "sep" -> ";"))))
    assert(told("parquet:s3a://bucket/in") == (("parquet", "", Map("path" -> "s3a://bucket/in"))))
    assert(told("file:/in?format=csv") == (("csv", "", Map("path" -> "file:/in"))))
    assert(told("hdfs://host:1/in/day?.json/?maxFilesPerTrigger=1") ==
      (("json", "", Map("path" -> "hdfs://host:1/in/day?.json/", "maxFilesPerTrigger" -> "1"))))
    assert(told("/in/*.csv") == (("csv", "", Map("path" -> "/in/*.csv"))))
  }

  test("other systems") {
    assert(told("rate") == (("rate", "", Map.empty)))
    assert(told("rate://?rowsPerSecond=5") == (("rate", "", Map("rowsPerSecond" -> "5"))))
    assert(told("socket://host:99") == (("socket", "json", Map("host" -> "host", "port" -> "99"))))
    assert(told("socket://host:99?format=csv") == (("socket", "csv", Map("host" -> "host", "port" -> "99"))))
    assert(told("socket://host:99", line) == (("socket", "text", Map("host" -> "host", "port" -> "99"))))
    assert(told("socket://host:99?format=json", line)._2 == "json")
    assert(told("socket://[::1]:99")._3("host") == "::1")
    assert(told("port4445") == (("socket", "json", Map("host" -> "localhost", "port" -> "4445"))))
    assert(told("kafka://a:1,b:2/topic?startingOffsets=earliest") == (
      (
        "kafka",
        "json",
        Map(
          "kafka.bootstrap.servers" -> "a:1,b:2",
          "subscribe" -> "topic",
          "startingOffsets" -> "earliest"))))
  }

  test("what cannot be read is refused") {
    Seq(
      "",
      " ",
      "/in",
      "/in.d/x",
      "json:",
      "json:/in?format=csv",
      "socket://host",
      "socket://:9",
      "kafka://host:1",
      "kafka://host:1/a/b",
      "rate://host",
      "socket://h:1?format=xml",
      "socket://h:1?format=text"
    ).foreach { uri =>
      assert(withClue(uri)(intercept[CsqlAnalysisException](read(uri))).getCondition == "CSQL_SOURCE_INVALID")
    }
    assert(intercept[CsqlAnalysisException](read("socket://h:1", new StructType)).getCondition ==
      "CSQL_SOURCE_INVALID")
  }

  test("a definition survives as the text of a view, whatever is in it") {
    val hostile = SourceDefinition(
      "a.b') --",
      "json",
      Some(LineFormat.Csv),
      Map("path" -> "/it's \\ %41 ${x} $y \n ö 🙂", "" -> ""),
      StructType.fromDDL("`q'``\"` INT NOT NULL, s STRUCT<x: DECIMAL(3, 2)> COMMENT 'c'")
    )
    assert(SourceDefinition.ofViewText(hostile.viewText).contains(hostile))
    assert(hostile.viewText.count(_ == '\'') == 2 && !hostile.viewText.contains("\\"))
    assert(SourceDefinition.ofViewText("SELECT 1").isEmpty)
  }
}
