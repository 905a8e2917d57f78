package org.sparkcsql.bench

import org.apache.spark.sql.Row
import org.sparkcsql.aggregates.{JvmAggregate, JvmReturned, JvmWindow}

/** The sum, as the aggregates of the benchmark in SQL add it up. */
class ScalaSum extends JvmAggregate {
  protected var total = 0.0

  override def iterate(arguments: Row, window: JvmWindow, returned: JvmReturned): Unit =
    total += arguments.getDouble(0)
  override def terminate(window: JvmWindow, returned: JvmReturned): Unit = returned.add(total)
}

/** The same over a window: what leaves is subtracted. */
class ScalaWindowSum extends ScalaSum {
  override def expire(arguments: Row, window: JvmWindow, returned: JvmReturned): Unit =
    total -= arguments.getDouble(0)
}
