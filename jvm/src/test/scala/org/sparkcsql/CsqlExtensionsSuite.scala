package org.sparkcsql

import org.apache.spark.sql.{AnalysisException, SparkSessionExtensions}
import org.scalatest.funsuite.AnyFunSuite

class CsqlExtensionsSuite extends AnyFunSuite {
  private lazy val spark = SharedSession.spark

  test("csql_version() is the version the jar was built with") {
    assert(Version.csql.matches("""\d+\.\d+\.\d+.*"""))
    val answer = spark.sql("SELECT csql_version()")
    assert(answer.columns.toSeq === Seq("csql_version()"))
    assert(answer.head().getString(0) === Version.csql)
  }

  test("csql_version() takes no argument") {
    val error = intercept[AnalysisException](spark.sql("SELECT csql_version(1)"))
    assert(error.getCondition === "WRONG_NUM_ARGS.WITHOUT_SUGGESTION")
  }

  test("the extension injects once, however often Spark finds it") {
    val extensions = new SparkSessionExtensions
    var times = 0
    (1 to 3).foreach(_ => InjectOnce(extensions)(times += 1))
    InjectOnce(new SparkSessionExtensions)(times += 10)
    assert(times === 11)
  }

  test("the service file names the provider") {
    val providers = java.util.ServiceLoader
      .load(classOf[org.apache.spark.sql.SparkSessionExtensionsProvider], getClass.getClassLoader)
    assert(providers.iterator().next().isInstanceOf[CsqlExtensionsProvider])
  }
}
