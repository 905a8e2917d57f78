package org.sparkcsql.stream

import java.lang.ref.SoftReference
import java.util.{Arrays, LinkedHashMap, Map}

/** Holds living relations between two micro-batches. */
private[sparkcsql] trait RelationMemory {

  /** The relations of a key, if they are those that were saved under a stamp; they are no longer held then. */
  def take(owner: Array[Byte], stamp: Long): Option[LiveRelations]
  def put(owner: Array[Byte], stamp: Long, relations: LiveRelations): Unit
}

private object NoMemory extends RelationMemory {
  override def take(owner: Array[Byte], stamp: Long): Option[LiveRelations] = None
  override def put(owner: Array[Byte], stamp: Long, relations: LiveRelations): Unit = ()
}

/**
 * The relations of one operator of a run, in this process. The state store has the truth: what lies
 * here is used only if its stamp is the one in the state, and may be gone at any time.
 */
private final class RunMemory(run: String, partition: Int) extends RelationMemory {
  private def name(owner: Array[Byte]): String = s"$run/$partition/${Arrays.hashCode(owner)}"

  override def take(owner: Array[Byte], stamp: Long): Option[LiveRelations] = RunMemory.synchronized {
    val held = RunMemory.held.remove(name(owner))
    if (held == null || held.stamp != stamp) None else Option(held.relations.get)
  }

  override def put(owner: Array[Byte], stamp: Long, relations: LiveRelations): Unit =
    RunMemory.synchronized {
      RunMemory.held.put(name(owner), new RunMemory.Held(stamp, new SoftReference(relations))): Unit
    }
}

private object RunMemory {
  private final class Held(val stamp: Long, val relations: SoftReference[LiveRelations])

  private val Most = 4096

  /** Those that were used last; runs that have ended give way. */
  private val held = new LinkedHashMap[String, Held] {
    override def removeEldestEntry(eldest: Map.Entry[String, Held]): Boolean = size > Most
  }
}
