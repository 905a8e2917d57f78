package org.sparkcsql.aggregates

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.csql.RegisteredPython
import org.apache.spark.sql.types._
import org.json4s.JsonAST.{JBool, JObject}
import org.json4s.jackson.JsonMethods
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan.{AggregateBody, AggregateDefinition}

/**
 * An aggregate that is a class of Python's. It runs in a Python worker, which gets the calls of many tuples
 * at once; so what it answers is known only later, and a number stands for it until then.
 */
private[sparkcsql] final class PythonProgram(
    override val name: String,
    val arguments: StructType,
    override val returns: DataType,
    override val isBlocking: Boolean,
    override val isWindow: Boolean,
    val className: String,
    val function: RegisteredPython)
    extends AggregateProgram {
  override def argumentTypes: Seq[DataType] = arguments.map(_.dataType)
  override def identity: String = s"python $className ${arguments.sql} ${returns.sql}"
  override def task(partition: Int): AggregateTask =
    throw new IllegalStateException(s"$name is called where nobody waits for its worker")

  /** What comes back: a list of what was returned, a state, or how it failed. */
  def answers: StructType =
    new StructType().add("rows", ArrayType(returns)).add("state", BinaryType).add("failure", StringType)

  /** What the worker is to know before the first call. */
  def told: String = JsonMethods.compact(
    JObject(
      "arguments" -> JsonMethods.parse(arguments.json),
      "answers" -> JsonMethods.parse(answers.json),
      "window" -> JBool(isWindow)))

  /** The same program, in a task that has a place for its worker. */
  def in(place: PythonPlace): AggregateProgram = {
    val program = this
    new AggregateProgram {
      override def name: String = program.name
      override def argumentTypes: Seq[DataType] = program.argumentTypes
      override def returns: DataType = program.returns
      override def isBlocking: Boolean = program.isBlocking
      override def isWindow: Boolean = program.isWindow
      override def identity: String = program.identity
      override def task(partition: Int): AggregateTask = place.begin(program)
      override def nextKey(): Unit = place.nextKey()
    }
  }
}

private[sparkcsql] object PythonProgram {

  /** The type that registered classes say they return: their version of the calls, and whether they are blocking. */
  private val Blocking = new StructType().add("csql_aggregate_1", "int").add("blocking", "int")
  private val NonBlocking = new StructType().add("csql_aggregate_1", "int").add("non_blocking", "int")

  /** The name of a registered class ends with a number of its own. */
  private val Own = '#'

  def of(
      session: SparkSession,
      definition: AggregateDefinition,
      body: AggregateBody.External): PythonProgram = {
    def refuse(reason: String): Nothing =
      CsqlErrors.analysis("CSQL_AGGREGATE_CLASS", body.at, "class" -> body.code, "reason" -> reason)
    if (definition.algebraic)
      CsqlErrors.analysis(
        "CSQL_NOT_SUPPORTED_YET",
        definition.name.at,
        "what" -> "ALGEBRAIC for an aggregate written in Python",
        "hint" -> "Leave ALGEBRAIC out: the answers are the same, without panes."
      )
    val (function, marked) = RegisteredPython.find(session, body.code).getOrElse(
      refuse(
        "this session knows no such class of Python's. In Python, spark_csql.aggregate(…) makes it known"))
    if (marked != Blocking && marked != NonBlocking)
      refuse("it was not registered by spark_csql.aggregate(…) of this version")
    new PythonProgram(
      definition.name.parts.last,
      definition.arguments,
      definition.returns,
      marked == Blocking,
      definition.isWindow,
      body.code.takeWhile(_ != Own),
      function)
  }

  def isOne(program: AggregateProgram): Boolean = program.isInstanceOf[PythonProgram]
}
