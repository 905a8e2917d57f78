package org.sparkcsql.kernel

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

/** A sequence in chunks does what one in memory does, however often it is put away and taken out again. */
class ChunkedSequenceSuite extends AnyFunSuite {
  private object Longs extends Codec[java.lang.Long] {
    override def write(item: java.lang.Long, to: ByteWriter): Unit = to.putLong(item)
    override def read(from: ByteReader): java.lang.Long = from.getLong
  }

  private def again(
      sequence: ChunkedSequence[java.lang.Long],
      shelf: MapShelf,
      chunk: Int): ChunkedSequence[java.lang.Long] = {
    val to = new ByteWriter
    sequence.save(to)
    val taken = new ChunkedSequence[java.lang.Long](shelf, Longs, chunk)
    taken.load(new ByteReader(to.result))
    taken
  }

  test("the same items as in memory, after any mix of changes and restarts") {
    (1 to 3000).foreach { seed =>
      val random = new Random(seed)
      val (shelf, plain, chunk) = (new MapShelf, new HeapSequence[java.lang.Long], 1 + random.nextInt(5))
      var chunked = new ChunkedSequence[java.lang.Long](shelf, Longs, chunk)
      val growth = random.nextInt(4)
      (1 to 120).foreach { step =>
        random.nextInt(10) match {
          case n if n <= 2 + growth || plain.isEmpty =>
            plain.append(step.toLong)
            chunked.append(step.toLong)
          case 9 => chunked = again(chunked, shelf, chunk)
          case 8 if random.nextInt(20) == 0 =>
            plain.clear()
            chunked.clear()
          case n if n % 2 == 0 =>
            plain.removeFirst()
            chunked.removeFirst()
          case _ =>
            plain.removeLast()
            chunked.removeLast()
        }
        assert(chunked.length == plain.length, s"seed $seed")
        if (!plain.isEmpty) assert(chunked.first == plain.first && chunked.last == plain.last, s"seed $seed")
      }
      assert(chunked.forwards.toSeq == plain.forwards.toSeq, s"seed $seed")
      assert(chunked.backwards.toSeq == plain.backwards.toSeq, s"seed $seed")
      chunked.clear()
      again(chunked, shelf, chunk): Unit
      assert(shelf.pieces.isEmpty, s"seed $seed leaves chunks behind")
    }
  }

  test("an end of a long sequence costs one chunk") {
    val shelf = new MapShelf
    var sequence = new ChunkedSequence[java.lang.Long](shelf, Longs)
    (1L to 100000L).foreach(sequence.append(_))
    sequence = again(sequence, shelf, ChunkedSequence.ChunkSize)
    val before = shelf.pieces.size
    sequence.removeFirst()
    sequence.append(1L)
    val to = new ByteWriter
    sequence.save(to)
    assert(shelf.pieces.size >= before && to.result.length < 1000)
  }
}
