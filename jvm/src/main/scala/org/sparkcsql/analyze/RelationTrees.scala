package org.sparkcsql.analyze

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.catalyst.trees.TreePattern.CURRENT_LIKE
import org.sparkcsql.batch.GroupedList
import org.sparkcsql.catalog.DeclaredStream
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.kernel.changes.{BagKind, ExistenceKind, JoinKind}
import org.sparkcsql.plan._

/** A part of a query as an operator on relations that change, and its columns. */
private[analyze] final case class TreeOver(tree: RelationTree, output: Seq[Attribute])

/**
 * Makes operators on relations that change out of Spark's resolved nodes.
 *
 * @param asStream the answer stream of a query that stands where a stream does
 * @param derivedAreStreams whether a query in FROM is a stream, as by default; under ISTREAM, DSTREAM
 *   and RSTREAM it is a relation
 */
private[analyze] final class RelationTrees(
    inputs: RelationInputs,
    asStream: LogicalPlan => LogicalPlan,
    derivedAreStreams: Boolean) {
  import ComparedByBytes.normalized

  val expressions = new ArrayBuffer[Expression]

  private def number(expression: Expression, over: Seq[Attribute], at: Origin): Int = {
    refuseUnstable(expression, at)
    expressions += BindReferences.bindReference(evaluable(expression), AttributeSeq(over))
    expressions.size - 1
  }

  /** What the optimiser would replace: it looks for the columns of an expression, and a bound one has none. */
  private def evaluable(expression: Expression): Expression =
    expression.transformDown { case replaceable: RuntimeReplaceable => replaceable.replacement }.transformUp {
      case With(child, definitions) =>
        child.transform { case common: CommonExpressionRef =>
          definitions.find(_.id == common.id).fold[Expression](common)(_.child)
        }
    }

  /** What comes and goes must be the same row both times. */
  private def refuseUnstable(expression: Expression, at: Origin): Unit =
    if (!expression.deterministic || (inputs.isStreaming && expression.containsPattern(CURRENT_LIKE)))
      notYet(at, s"${expression.sql}, which is not the same each time,")
    else expression.foreach {
      case python: PythonFuncExpression => notYet(at, s"The Python function ${python.sql}")
      case subquery: SubqueryExpression => notYet(at, s"The subquery ${subquery.sql} at this place")
      case _ =>
    }

  def of(plan: LogicalPlan): TreeOver = plan match {
    case SubqueryPart(child) => subquery(child)
    case WindowedRelation(clause, child) => stream(asStream(child), Some(clause))
    case ended if isTable(ended) =>
      val (table, columns) = inputs.addTable(ended)
      TreeOver(RelationTree.Table(table, columns.map(_.dataType)), columns)
    case alias: SubqueryAlias if derivedAreStreams && !inside && Block.isQuery(alias) =>
      stream(asStream(plan), None)
    case view: View if DeclaredStream.of(view).isEmpty && (inside || !derivedAreStreams) =>
      of(view.child)
    case view: View => stream(view, None)
    case answer: ContinuousAnswer => stream(answer, None)
    case _: RelationToStream => stream(asStream(plan), None)
    case AnswerFrequency(frequency, _) => refuseFrequency(frequency)
    case SubqueryAlias(_, child) => of(child)
    case hint: ResolvedHint => of(hint.child)
    case Filter(condition, child) => selected(condition, of(child), plan.origin)
    case Project(list, child) => computed(list, of(child), plan.origin)
    case join: Join => joined(join)
    case aggregate: Aggregate => grouped(aggregate)
    case Distinct(child) => distinct(of(child))
    case union: Union =>
      val sides = union.children.map(of)
      val all = sides.map(_.tree).reduceLeft(RelationTree.Bag(BagKind.UnionAll, _, _))
      TreeOver(all, union.output)
    case Intersect(left, right, all) =>
      bag(if (all) BagKind.IntersectAll else BagKind.Intersect, left, right, plan)
    case Except(left, right, all) => bag(if (all) BagKind.ExceptAll else BagKind.Except, left, right, plan)
    case _: GlobalLimit | _: LocalLimit | _: Offset | _: Sort => top(plan)
    case expand: Expand =>
      val child = of(expand.child)
      val lists = expand.projections.map(_.map(number(_, child.output, plan.origin)))
      TreeOver(RelationTree.Expand(lists, expand.output.map(_.dataType), child.tree), expand.output)
    case leaf: LeafNode if leaf.isStreaming => stream(leaf, None)
    case other => notYet(other.origin, s"${other.nodeName} over windowed streams")
  }

  /** Whether what is looked at stands in a subquery of a condition. */
  private var inside = false

  private def subquery(plan: LogicalPlan): TreeOver = {
    val before = inside
    inside = true
    val tree = of(plan)
    inside = before
    tree
  }

  private def stream(relation: LogicalPlan, clause: Option[WindowClause]): TreeOver = {
    val (input, columns) = inputs.add(relation, clause, inside)
    TreeOver(RelationTree.Stream(input, columns.map(_.dataType)), columns)
  }

  /** What has no window and no stream in it is given to Spark as a whole. */
  private def isTable(plan: LogicalPlan): Boolean = !plan.isStreaming && !Relations.holdsStream(plan)

  private def selected(condition: Expression, child: TreeOver, at: Origin): TreeOver =
    child.copy(tree = RelationTree.Select(number(condition, child.output, at), child.tree))

  private def computed(list: Seq[NamedExpression], child: TreeOver, at: Origin): TreeOver = {
    val output = list.map(_.toAttribute)
    if (output == child.output) child
    else {
      val numbers = list.map(item => number(unnamed(item), child.output, at))
      TreeOver(RelationTree.Compute(numbers, output.map(_.dataType), child.tree), output)
    }
  }

  private def unnamed(item: Expression): Expression = item match {
    case Alias(child, _) => child
    case other => other
  }

  private def joined(join: Join): TreeOver = {
    val (left, right) = (of(join.left), of(join.right))
    val on = new JoinConditions(left.output, right.output, number(_, _, join.origin)).of(join)
    def both(kind: JoinKind): TreeOver = {
      val tree = RelationTree.Join(kind, on, left.tree, right.tree)
      def absent(columns: Seq[Attribute], may: Boolean) =
        if (may) columns.map(_.withNullability(true)) else columns
      TreeOver(tree, absent(left.output, kind.keepsRight) ++ absent(right.output, kind.keepsLeft))
    }
    def valued: TreeOver = TreeOver(
      RelationTree.Value(on, left.tree, right.tree),
      left.output ++ right.output.map(_.withNullability(true)))
    def existing(kind: ExistenceKind, flag: Option[Attribute]): TreeOver = {
      val output = left.output ++ flag
      TreeOver(RelationTree.Exists(kind, on, output.map(_.dataType), left.tree, right.tree), output)
    }
    join.joinType match {
      case Inner | Cross => both(JoinKind.Inner)
      case LeftSingle => valued
      case LeftOuter if join.right.isInstanceOf[SubqueryPart] && !inside => valued
      case LeftOuter => both(JoinKind.LeftOuter)
      case RightOuter => both(JoinKind.RightOuter)
      case FullOuter => both(JoinKind.FullOuter)
      case LeftSemi => existing(ExistenceKind.Semi, None)
      case LeftAnti => existing(ExistenceKind.Anti, None)
      case ExistenceJoin(flag) => existing(ExistenceKind.Flag, Some(flag))
      case other => notYet(join.origin, s"${other.sql} of windowed streams")
    }
  }

  /** GROUP BY, with the SELECT list over it. */
  private def grouped(aggregate: Aggregate): TreeOver = {
    val grouping = GroupedList.ofSparks(aggregate)
    val groups = group(grouping, of(aggregate.child), aggregate.origin)
    computed(grouping.list, groups, aggregate.origin)
  }

  /** The groups themselves: keys and values. */
  def group(grouping: GroupedList, child: TreeOver, at: Origin): TreeOver = {
    val input = computed(child.output ++ grouping.computed, child, at)
    val keys = Carrying.distinct(grouping.keys)
    val numbers = keys.map(k => number(normalized(k), input.output, at))
    val functions = grouping.functions.map(number(_, input.output, at))
    val output = keys ++ grouping.values
    TreeOver(RelationTree.Group(numbers, functions, output.map(_.dataType), input.tree), output)
  }

  private def distinct(child: TreeOver): TreeOver = child.copy(tree = RelationTree.Distinct(normal(child)))

  private def bag(kind: BagKind, left: LogicalPlan, right: LogicalPlan, node: LogicalPlan): TreeOver = {
    val (l, r) = (of(left), of(right))
    TreeOver(RelationTree.Bag(kind, normal(l), normal(r)), node.output)
  }

  /** Rows that are compared as a whole. */
  private def normal(child: TreeOver): RelationTree = {
    ComparedByBytes.require(child.output, Origin())
    val list = child.output.map(normalized)
    if (list == child.output) child.tree
    else RelationTree.Compute(
      list.map(number(_, child.output, Origin())),
      child.output.map(_.dataType),
      child.tree)
  }

  /** ORDER BY … LIMIT; ORDER BY alone says nothing about a relation, and LIMIT alone nothing that is the same each time. */
  private def top(plan: LogicalPlan): TreeOver = {
    val limits = RowLimits.above(plan)
    val range = RowLimits.of(limits)
    limits.lastOption.fold(plan)(_.children.head) match {
      case Sort(_, _, child, _) if range.isAll => of(child)
      case Sort(order, _, child, _) => topped(order, range, of(child), plan)
      case Project(list, Sort(order, _, child, _)) =>
        computed(list, topped(order, range, of(child), plan), plan.origin)
      case other =>
        CsqlErrors.analysis(
          "CSQL_CLAUSE_MISPLACED",
          other.origin,
          "clause" -> "LIMIT",
          "hint" -> "Which rows of a relation are its first ones is told by ORDER BY: write it before LIMIT."
        )
    }
  }

  private def topped(
      order: Seq[SortOrder],
      range: RowRange,
      child: TreeOver,
      node: LogicalPlan): TreeOver = {
    val numbers = order.map(number(_, child.output, node.origin))
    child.copy(tree =
      RelationTree.Top(numbers, range.limit.getOrElse(Int.MaxValue), range.offset, child.tree))
  }

  private def refuseFrequency(frequency: Frequency): Nothing = CsqlErrors.analysis(
    "CSQL_CLAUSE_MISPLACED",
    frequency.at,
    "clause" -> "Frequency",
    "hint" -> "A relation has no answers that could be sampled: write it in the outermost SELECT list, or behind the item of FROM."
  )

  private def notYet(at: Origin, what: String): Nothing = CsqlErrors.analysis(
    "CSQL_NOT_SUPPORTED_YET",
    at,
    "what" -> what,
    "hint" -> "Put it into a query around this one, which looks at the whole answer."
  )
}
