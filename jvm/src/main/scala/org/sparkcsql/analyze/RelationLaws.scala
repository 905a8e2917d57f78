package org.sparkcsql.analyze

import org.sparkcsql.plan._

/** Laws between queries over windows, where they spare state. */
private[analyze] object RelationLaws {

  /** A query, with the names of the laws that were used on it. */
  def told(query: String, laws: Iterable[String]): String =
    laws.foldLeft(query)((text, law) => s"$text, by the law: $law")

  /**
   * `ISTREAM` over `[Range Unbounded]` is `RSTREAM` over `[Now]`, and keeps nothing: when each tuple
   * makes rows on its own and stays for ever, the rows that are new at an instant are those of the
   * tuples of that instant. It needs one stream, with a time, and no operator that looks at several rows.
   *
   * @return the operator to use, after the window has been changed, and the name of the law
   */
  def reduced(
      operator: StreamOperator,
      inputs: RelationInputs,
      tree: RelationTree): (StreamOperator, Option[String]) =
    inputs.streams.toSeq match {
      case Seq(item)
          if operator == StreamOperator.Inserted && item.window == RelationInputs.unbounded &&
            inputs.time.isDefined && rowByRow(tree) =>
        val now = item.window.copy(extent = Extent.Time(1, 0))
        inputs.streams(0) = item.copy(window = now)
        (StreamOperator.Relation, Some("Unbounded with ISTREAM is Now with RSTREAM"))
      case _ => (operator, None)
    }

  /**
   * Of tuples that never leave, IN, EXISTS, their negations and DISTINCT need one of each value that they compare:
   * further ones change nothing, and are not kept.
   *
   * @return the law, for each stream that it holds for
   */
  def oneForEachValue(inputs: RelationInputs, tree: RelationTree): Seq[String] = {
    def stays(input: Int): Boolean = {
      val window = inputs.streams(input).window
      window.extent.isInstanceOf[Extent.Between] && window.frequency.pace == Pace.EachTuple
    }
    def compared(tree: RelationTree): Option[Int] = tree match {
      case RelationTree.Stream(input, _) => Some(input).filter(stays)
      case RelationTree.Select(_, child) => compared(child)
      case RelationTree.Compute(_, _, child) => compared(child)
      case _ => None
    }
    val here = tree match {
      case RelationTree.Exists(_, on, _, _, right) if on.condition.isEmpty => compared(right)
      case RelationTree.Distinct(child) => compared(child)
      case _ => None
    }
    here.map(input => s"one tuple of ${inputs.streams(input).name} for each value").toSeq ++
      tree.children.flatMap(oneForEachValue(inputs, _))
  }

  private def rowByRow(tree: RelationTree): Boolean = tree match {
    case _: RelationTree.Stream => true
    case RelationTree.Select(_, child) => rowByRow(child)
    case RelationTree.Compute(_, _, child) => rowByRow(child)
    case RelationTree.Expand(_, _, child) => rowByRow(child)
    case _ => false
  }
}
