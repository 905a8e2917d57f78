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

  private def rowByRow(tree: RelationTree): Boolean = tree match {
    case _: RelationTree.Stream => true
    case RelationTree.Select(_, child) => rowByRow(child)
    case RelationTree.Compute(_, _, child) => rowByRow(child)
    case RelationTree.Expand(_, _, child) => rowByRow(child)
    case _ => false
  }
}
