package org.sparkcsql.stream

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.sparkcsql.kernel._
import org.sparkcsql.kernel.changes.{HeldCodec, Keeping, KeptSequence}

/** Windows of tables: they live as long as the task. */
private[sparkcsql] final class HeapKeeping extends Keeping[UnsafeRow] {
  private def unsaved = throw new IllegalStateException("windows of tables are not saved")
  override def sequence(part: Int): KeptSequence[UnsafeRow] =
    new KeptSequence(new HeapSequence, _ => unsaved, _ => unsaved)
  override def pieces: Shelf = NoShelf
  override def codec: HeldCodec[UnsafeRow] = unsaved
}

/** Windows of streams: their tuples lie in chunks in the state store. */
private[stream] final class ShelfKeeping(shelf: Int => Shelf, override val codec: HeldCodec[UnsafeRow])
    extends Keeping[UnsafeRow] {
  override def sequence(part: Int): KeptSequence[UnsafeRow] = {
    val chunks = new ChunkedSequence(shelf(part), codec)
    new KeptSequence(chunks, chunks.save, chunks.load)
  }
  override def pieces: Shelf = shelf(2)
}
