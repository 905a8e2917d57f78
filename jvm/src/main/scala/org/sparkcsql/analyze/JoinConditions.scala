package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.{ExistenceJoin, JoinType, LeftAnti}
import org.apache.spark.sql.catalyst.plans.logical.Join
import org.sparkcsql.plan.RelationTree

/**
 * The condition of a join, parted: equal columns are looked up by their bytes, the rest is tried on each pair.
 *
 * @param number gives an expression over columns its number in the query
 */
private[analyze] final class JoinConditions(
    left: Seq[Attribute],
    right: Seq[Attribute],
    number: (Expression, Seq[Attribute]) => Int) {
  private type Pair = (Expression, Expression)
  private val (leftSet, rightSet) = (AttributeSet(left), AttributeSet(right))

  def of(join: Join): RelationTree.On = {
    val (equal, rest) = join.condition.toSeq.flatMap(split).partition(equals(_).isDefined)
    val pairs = equal.flatMap(equals)
    val unknown = if (pairs.isEmpty && looksOnly(join.joinType)) rest.find(notUnequal(_).isDefined) else None
    RelationTree.On(
      pairs.map(pair => key(pair._1, left)),
      pairs.map(pair => key(pair._2, right)),
      equal.map(_.isInstanceOf[EqualNullSafe]),
      unknown.flatMap(notUnequal).map { case (l, r) => (key(l, left), key(r, right)) },
      rest.filterNot(unknown.contains).reduceOption(And(_, _)).map(number(_, left ++ right))
    )
  }

  private def key(expression: Expression, over: Seq[Attribute]): Int =
    number(ComparedByBytes.normalized(expression), over)

  /** Whether partners are looked for, and never shown. */
  private def looksOnly(kind: JoinType): Boolean = kind match {
    case LeftAnti | _: ExistenceJoin => true
    case _ => false
  }

  private def split(condition: Expression): Seq[Expression] = condition match {
    case And(a, b) => split(a) ++ split(b)
    case Or(equal, IsNull(same)) if equal.semanticEquals(same) && isKnown(equal) => Seq(equal)
    case other => Seq(other)
  }

  private def isKnown(condition: Expression): Boolean = {
    val never = AttributeSet((left ++ right).filterNot(_.nullable))
    !condition.nullable && condition.references.subsetOf(never)
  }

  private def equals(condition: Expression): Option[Pair] = condition match {
    case EqualTo(a, b) => sided(a, b).orElse(sided(b, a))
    case EqualNullSafe(a, b) => sided(a, b).orElse(sided(b, a))
    case _ => None
  }

  /** Equal or unknown, as Spark writes NOT IN. */
  private def notUnequal(condition: Expression): Option[Pair] = condition match {
    case Or(equal: EqualTo, IsNull(same)) if equal.semanticEquals(same) => equals(equal)
    case _ => None
  }

  private def sided(a: Expression, b: Expression): Option[Pair] =
    if (a.references.nonEmpty && b.references.nonEmpty && a.references.subsetOf(leftSet) &&
      b.references.subsetOf(rightSet) && RelationKeys.isPlain(a.dataType)) Some((a, b))
    else None
}
