package org.apache.spark.sql.csql

import org.apache.spark.TaskContext
import org.apache.spark.memory.{MemoryConsumer, MemoryMode, TaskMemoryManager}

/** What Spark grants a task for objects that it holds itself; Spark gives memory to tasks to its own packages alone. */
final class HeldMemory private (manager: TaskMemoryManager)
    extends MemoryConsumer(manager, MemoryMode.ON_HEAP) {

  /** Whether so many bytes may be held in all. */
  def grants(bytes: Long): Boolean = {
    if (bytes > getUsed) acquireMemory(math.max(bytes - getUsed, HeldMemory.Step)): Unit
    bytes <= getUsed
  }

  /** Leaves half of it to others, who would fail without any. */
  def share(): Unit = freeMemory(getUsed / 2)

  /** Objects stay where they are. */
  override def spill(size: Long, trigger: MemoryConsumer): Long = 0
}

object HeldMemory {
  private val Step = 1L << 24

  /** To be asked for in a task. */
  def apply(): HeldMemory = {
    val task = TaskContext.get()
    val memory = new HeldMemory(task.taskMemoryManager())
    task.addTaskCompletionListener[Unit](_ => memory.freeMemory(memory.getUsed))
    memory
  }
}
