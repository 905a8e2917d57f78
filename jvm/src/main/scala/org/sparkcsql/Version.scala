package org.sparkcsql

import java.util.Properties

import org.apache.spark.sql.catalyst.expressions.{Expression, LeafExpression, Literal, RuntimeReplaceable}

/** What this jar is and what it was built for. */
object Version {

  private val built: Properties = {
    val properties = new Properties
    val resource = getClass.getResourceAsStream("/spark-csql.properties")
    try properties.load(resource)
    finally resource.close()
    properties
  }

  val csql: String = built.getProperty("version")
  val spark: String = built.getProperty("spark.version")
  val scala: String = built.getProperty("scala.version")
}

/** `csql_version()`: the version as a string. Clients ask for it to learn whether the extension is loaded. */
case class CsqlVersion() extends LeafExpression with RuntimeReplaceable {
  override lazy val replacement: Expression = Literal(Version.csql)
  override def prettyName: String = CsqlVersion.name
}

object CsqlVersion {

  private val name = "csql_version"

  val function: NullaryFunction.Description = NullaryFunction(name, classOf[CsqlVersion])(CsqlVersion())
}
