package org.sparkcsql.aggregates

import org.apache.spark.sql.catalyst.{FunctionIdentifier, InternalRow}
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, AggregateFunction}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.types._
import org.sparkcsql.errors.CsqlErrors

/**
 * What a call can run: compared by identity, because the same definition is compiled once.
 *
 * @param shadows whether the name is that of a function of Spark's
 */
final class AggregatePrograms(
    val base: Option[AggregateProgram],
    val window: Option[AggregateProgram],
    val algebraic: Boolean,
    val shadows: Boolean)
    extends Serializable {
  def any: AggregateProgram = base.orElse(window).get

  /** Whether they run in Python workers. */
  def inPython: Boolean = PythonProgram.isOne(any)

  /** The same, in a task that has a place for their worker. */
  def in(place: PythonPlace): AggregatePrograms = {
    def placed(program: AggregateProgram): AggregateProgram = program match {
      case python: PythonProgram => python.in(place)
      case other => other
    }
    new AggregatePrograms(base.map(placed), window.map(placed), algebraic, shadows)
  }
  def identity: String =
    (base ++ window).map(_.identity).mkString("+") + (if (algebraic) " algebraic" else "")
}

/**
 * A call of an aggregate that a user has written. Spark's operators never see it: the block or the
 * windows around it are replaced by operators of ours.
 *
 * @param asRows whether its value is the list of all rows that it returns, instead of one of them
 * @param asNumber whether its value is the number of an answer that is known later
 */
final case class UserAggregate(
    name: String,
    programs: AggregatePrograms,
    arguments: Seq[Expression],
    asRows: Boolean = false,
    asNumber: Boolean = false)
    extends AggregateFunction {
  private def program = programs.any

  override def children: Seq[Expression] = arguments
  override def dataType: DataType =
    if (asNumber) LongType else if (asRows) ArrayType(program.returns) else program.returns
  override def nullable: Boolean = true
  override def prettyName: String = name
  override def toString: String = s"$name(${arguments.mkString(", ")})"
  override def sql: String = s"$name(${arguments.map(_.sql).mkString(", ")})"

  /** To be asked when the arguments are resolved: Spark's own check would tell it in its own words. */
  def checkTypes(): Unit =
    if (!arguments.map(_.dataType).zip(program.argumentTypes).forall((AggregateTypes.fits _).tupled))
      CsqlErrors.analysis(
        "CSQL_AGGREGATE_TYPE",
        origin,
        "what" -> s"The arguments of $name",
        "wanted" -> AggregateTypes.list(program.argumentTypes),
        "found" -> AggregateTypes.list(arguments.map(_.dataType))
      )

  /** Fails for a call without a window of an aggregate that has only a version for windows. */
  def requireBase(): Unit = if (programs.base.isEmpty)
    CsqlErrors.analysis(
      "CSQL_AGGREGATE_CALL",
      origin,
      "name" -> name,
      "reason" -> "it has only a WINDOW version. Give it a window, or create the version without WINDOW too.")

  /** Spark's function of the same name, where there is no base version: it serves as that. */
  def sparksVersion: Option[AggregateFunction] =
    if (programs.base.isDefined || !programs.shadows) None
    else
      FunctionRegistry.builtin.lookupFunction(FunctionIdentifier(name), assigned) match {
        case function: AggregateFunction => Some(function)
        case _ => None
      }

  /** The call in a task, answered by the worker at this place. */
  def numbered(place: PythonPlace): UserAggregate = copy(programs = programs.in(place), asNumber = true)

  /** The arguments as the aggregate declares them. */
  def assigned: Seq[Expression] =
    arguments.zip(program.argumentTypes).map { case (value, to) => AggregateTypes.assigned(value, to) }

  /** A value that it has returned, as arguments of the same aggregate. */
  def fromReturned(value: Expression): Seq[Expression] = {
    val fields = (program.returns, program.argumentTypes) match {
      case (struct: StructType, several) if several.length != 1 =>
        struct.fields.indices.map(i => GetStructField(value, i))
      case _ => Seq(value)
    }
    fields.zip(program.argumentTypes).map { case (field, to) => AggregateTypes.assigned(field, to) }
  }

  // Only the operators of ours know how it runs.
  override def aggBufferSchema: StructType = new StructType
  override def aggBufferAttributes: Seq[AttributeReference] = Nil
  override def inputAggBufferAttributes: Seq[AttributeReference] = Nil
  override def eval(input: InternalRow): Any = misplaced
  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = misplaced
  private def misplaced: Nothing = throw new IllegalStateException(s"$name is left in an operator of Spark's")

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): UserAggregate =
    copy(arguments = newChildren)
}

object UserAggregate {

  def of(expression: Expression): Seq[UserAggregate] = expression.collect { case call: UserAggregate => call }

  def in(expression: Expression): Boolean = expression.exists(_.isInstanceOf[UserAggregate])

  /** The call with the list of its rows as its value. */
  def rowsOf(aggregate: AggregateExpression): AggregateExpression = aggregate.aggregateFunction match {
    case call: UserAggregate => aggregate.copy(aggregateFunction = call.copy(asRows = true))
    case _ => aggregate
  }
}
