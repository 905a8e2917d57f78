package org.sparkcsql.kernel

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

/** Places side by side in a ring are a sequence as any other. */
class PackedPlacesSuite extends AnyFunSuite {
  test("the same places as in a plain sequence, after any mix of changes") {
    (1 to 2000).foreach { seed =>
      val random = new Random(seed)
      val (plain, packed) = (new HeapSequence[Place], new PackedPlaces)
      val growth = random.nextInt(5)
      (1 to 200).foreach { _ =>
        random.nextInt(10) match {
          case n if n <= 3 + growth || plain.isEmpty =>
            val place = Place(random.nextLong(), random.nextLong(), random.nextLong())
            plain.append(place)
            packed.append(place)
          case 9 if random.nextInt(20) == 0 =>
            plain.clear()
            packed.clear()
          case n if n % 3 > 0 =>
            plain.removeFirst()
            packed.removeFirst()
          case _ =>
            plain.removeLast()
            packed.removeLast()
        }
        assert(packed.length == plain.length, s"seed $seed")
        if (!plain.isEmpty) assert(packed.first == plain.first && packed.last == plain.last, s"seed $seed")
      }
      assert(packed.forwards.toSeq == plain.forwards.toSeq, s"seed $seed")
      assert(packed.backwards.toSeq == plain.backwards.toSeq, s"seed $seed")
    }
  }
}
