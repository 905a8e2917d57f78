package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{LeafExpression, Nondeterministic}
import org.apache.spark.sql.catalyst.expressions.codegen._
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.types.{DataType, LongType}

/** The place of a row in its relation: its partition, then its place there. Spark's own one is refused on streams. */
final case class ArrivalNumber() extends LeafExpression with Nondeterministic {
  @transient private var next = 0L

  override def nullable: Boolean = false
  override def dataType: DataType = LongType
  override def stateful: Boolean = true
  override protected def initializeInternal(partition: Int): Unit = next = ArrivalNumber.first(partition)
  override protected def evalInternal(input: InternalRow): Long = {
    next += 1
    next - 1
  }

  override protected def doGenCode(context: CodegenContext, code: ExprCode): ExprCode = {
    val number = context.addMutableState(CodeGenerator.JAVA_LONG, "arrival")
    context.addPartitionInitializationStatement(
      s"$number = ((long) partitionIndex) << ${ArrivalNumber.Bits};")
    code.copy(
      code = code"""final ${CodeGenerator.JAVA_LONG} ${code.value} = $number++;""",
      isNull = FalseLiteral)
  }
}

object ArrivalNumber {
  private val Bits = 33
  def first(partition: Int): Long = partition.toLong << Bits
}

/** A column that the first operator sets to the number of the micro-batch; nothing may take it for a constant. */
final case class ArrivalBatch() extends LeafExpression with Nondeterministic with CodegenFallback {
  override def nullable: Boolean = false
  override def dataType: DataType = LongType
  override protected def initializeInternal(partition: Int): Unit = ()
  override protected def evalInternal(input: InternalRow): Long = 0L
}
