package org.sparkcsql.batch

import org.apache.spark.SparkEnv
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeRow}
import org.apache.spark.sql.execution.UnsafeExternalRowSorter
import org.apache.spark.sql.execution.UnsafeExternalRowSorter.PrefixComputer
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.util.collection.unsafe.sort.PrefixComparators

/** Spark's own sort of a task's rows: by a number, and in an ordering where the numbers are equal. */
private[sparkcsql] object SpillingSort {

  /** @param distinct whether no two rows have the same number */
  def apply(input: Seq[Attribute], ordering: Ordering[InternalRow], distinct: Boolean = false)(
      number: UnsafeRow => Long): UnsafeExternalRowSorter = UnsafeExternalRowSorter.create(
    StructType(input.map(c => StructField(c.name, c.dataType, c.nullable))),
    ordering,
    PrefixComparators.LONG,
    new PrefixComputer {
      private val result = new PrefixComputer.Prefix
      result.isNull = false
      override def computePrefix(row: InternalRow): PrefixComputer.Prefix = {
        result.value = number(row.asInstanceOf[UnsafeRow])
        result
      }
    },
    SparkEnv.get.memoryManager.pageSizeBytes,
    distinct
  )
}
