package org.sparkcsql.parse

import java.util.Locale

import org.sparkcsql.plan.LengthUnit

/** The units of the language, singular and plural, in any case. */
private[parse] object Units {
  private val byWord: Map[String, LengthUnit] = {
    val named =
      LengthUnit.times.map(unit => unit.name -> unit) ++ Seq("Tuple", "Row").map(_ -> LengthUnit.Tuples)
    named.flatMap { case (name, unit) => Seq(name, name + "s").map(_.toUpperCase(Locale.ROOT) -> unit) }.toMap
  }

  val timeUnits: String = LengthUnit.times.map(_.name + "s").mkString(", ")
  val allUnits: String = s"Tuples, Rows, $timeUnits"

  def find(word: String): Option[LengthUnit] = byWord.get(word)

  /** How a unit is called in messages. */
  def kind(unit: LengthUnit): String = unit match {
    case LengthUnit.Tuples => "tuples"
    case _: LengthUnit.Time => "time"
    case LengthUnit.Bare => "bare numbers"
  }

  /** ` Did you mean Minutes?`, if some unit is at most two letters away. */
  def suggestion(word: String): String = {
    val (nearest, away) = byWord.keys.toSeq.sorted.map(unit => unit -> distance(word, unit)).minBy(_._2)
    if (word.length <= 16 && away <= 2)
      s" Did you mean ${nearest.head}${nearest.tail.toLowerCase(Locale.ROOT)}?"
    else ""
  }

  private def distance(a: String, b: String): Int =
    if (math.abs(a.length - b.length) > 2) Int.MaxValue
    else {
      val first = (0 to b.length).toVector
      a.foldLeft(first) { (above, letter) =>
        b.indices.foldLeft(Vector(above.head + 1)) { (row, j) =>
          val change = above(j) + (if (b(j) == letter) 0 else 1)
          row :+ math.min(change, math.min(row.last, above(j + 1)) + 1)
        }
      }.last
    }
}
