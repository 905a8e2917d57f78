package org.sparkcsql.analyze

import scala.collection.mutable.{ArrayBuffer, LinkedHashSet}

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.sparkcsql.kernel.changes.ExistenceKind
import org.sparkcsql.plan._

/**
 * Selection commutes with windows by time, landmarks and bands: what a tuple's own values leave out
 * is left out before it is in the window, and costs neither state nor partners. It does not commute
 * with windows by tuples, which would hold others. And it needs an answer that does not depend on
 * when windows change: ISTREAM, DSTREAM, `[Now]`, and rows that come with their tuples by default; nor
 * on the first change, at which a COUNT of nothing appears.
 * On the way there, selection goes through joins, where it spares partners in any case.
 */
private[analyze] object SelectBeforeWindow {

  /** @param told the law, for each stream that it was used on */
  final case class Selected(tree: RelationTree, told: Seq[String])

  /** Windows of `inputs` and expressions change with it. */
  def apply(
      inputs: RelationInputs,
      expressions: ArrayBuffer[Expression],
      tree: RelationTree,
      emission: Emission): Selected = {
    val items = inputs.streams.toSeq
    val whenever = emission match {
      case Emission.Operator(StreamOperator.Inserted | StreamOperator.Deleted, _) => true
      case Emission.Operator(StreamOperator.Relation, _) => items.forall(RelationDivision.isNow)
      case Emission.New | Emission.Distinct => RelationDivision.answersByTuple(items, tree)
      case Emission.All => false
    }
    val moving = new Moving(inputs, expressions, item => whenever && isTimed(item) && startsEmpty(tree))
    val moved = moving.below(tree)
    Selected(moved, moving.selected.toSeq.map(name => s"selection before the window of $name"))
  }

  private def isTimed(item: StreamItem): Boolean =
    !item.window.extent.isInstanceOf[Extent.Tuples] &&
      !item.window.frequency.pace.isInstanceOf[Pace.EveryTuples]

  /** Whether there are no rows as long as all windows are empty. */
  private def startsEmpty(tree: RelationTree): Boolean = {
    import RelationTree._
    tree match {
      case _: Stream => true
      case _: Table => false
      case Group(keys, _, _, child) => keys.nonEmpty && startsEmpty(child)
      case Join(kind, _, left, right) =>
        if (kind.keepsLeft) startsEmpty(left) && (!kind.keepsRight || startsEmpty(right))
        else startsEmpty(right) || (!kind.keepsRight && startsEmpty(left))
      case Value(_, left, _) => startsEmpty(left)
      case Exists(kind, _, _, left, right) =>
        startsEmpty(left) || (kind == ExistenceKind.Semi && startsEmpty(right))
      case other => other.children.forall(startsEmpty)
    }
  }

  private final class Moving(
      inputs: RelationInputs,
      expressions: ArrayBuffer[Expression],
      commutes: StreamItem => Boolean) {
    import RelationTree._
    val selected = new LinkedHashSet[String]

    def below(tree: RelationTree): RelationTree = tree match {
      case Select(condition, child) => select(split(expressions(condition)), below(child))
      case other => other.mapChildren(below)
    }

    private def split(condition: Expression): Seq[Expression] = condition match {
      case And(a, b) => split(a) ++ split(b)
      case other => Seq(other)
    }

    /** Inner conditions stay before outer ones, which may fail where the inner ones do not hold. */
    private def select(conditions: Seq[Expression], over: RelationTree): RelationTree = over match {
      case _ if conditions.isEmpty => over
      case Select(condition, child) => select(split(expressions(condition)) ++ conditions, child)
      case Compute(list, _, child) =>
        val below = conditions.map(_.transformUp { case BoundReference(place, _, _) =>
          expressions(list(place))
        })
        over.mapChildren(_ => select(below, child))
      case Join(kind, _, left, right) =>
        val width = left.types.length
        val (ofLeft, others) = conditions.partition(c => !kind.keepsRight && within(c, 0, width))
        val (ofRight, rest) = others.partition(c => !kind.keepsLeft && within(c, width, over.types.length))
        val moved = ofRight.map(_.transformUp { case BoundReference(place, of, nullable) =>
          BoundReference(place - width, of, nullable)
        })
        here(
          rest,
          over.mapChildren(side => if (side eq left) select(ofLeft, left) else select(moved, right)))
      case Exists(kind, _, _, left, right) =>
        val width = if (kind == ExistenceKind.Flag) left.types.length else over.types.length
        val (ofLeft, rest) = conditions.partition(within(_, 0, width))
        here(rest, over.mapChildren(side => if (side eq left) select(ofLeft, left) else right))
      case Stream(input, _) if commutes(inputs.streams(input)) => filtered(input, conditions, over)
      case _ => here(conditions, over)
    }

    private def within(condition: Expression, from: Int, until: Int): Boolean = {
      val places = condition.collect { case BoundReference(place, _, _) => place }
      places.nonEmpty && places.forall(p => p >= from && p < until)
    }

    private def here(conditions: Seq[Expression], over: RelationTree): RelationTree =
      conditions.reduceOption(And(_, _)).fold(over) { condition =>
        expressions += condition
        Select(expressions.size - 1, over)
      }

    private def filtered(input: Int, conditions: Seq[Expression], over: RelationTree): RelationTree = {
      val item = inputs.streams(input)
      val condition = conditions.reduce(And(_, _)).transformUp { case BoundReference(place, _, _) =>
        item.columns(place)
      }
      val stream = item.stream.copy(plan = Filter(condition, item.stream.plan))
      inputs.streams(input) = item.copy(stream = stream)
      selected += item.name
      over
    }
  }
}
