package org.sparkcsql.batch

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.DataType

/** Makes the rows that aggregation buffers live in: flat ones, quickly copied and stored, where all fields allow it. */
private[sparkcsql] final class BufferRows(val types: Seq[DataType], initialValues: Seq[Expression]) {
  val flat: Boolean = types.forall(UnsafeRow.isFixedLength)

  private val initialize = MutableProjection.create(initialValues, Nil)
  private lazy val initial = UnsafeProjection.create(initialValues).apply(InternalRow.empty).copy()

  def create(): InternalRow =
    if (flat) initial.copy()
    else {
      val row = new SpecificInternalRow(types)
      initialize.target(row)(InternalRow.empty)
      row
    }

  def copy(row: InternalRow): InternalRow = row match {
    case unsafe: UnsafeRow => unsafe.copy()
    case fields: SpecificInternalRow => new SpecificInternalRow(fields.values.map(_.copy()))
    case other => throw new IllegalStateException(s"no aggregation buffer: ${other.getClass}")
  }
}
