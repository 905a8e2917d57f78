package org.sparkcsql.stream

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.Literal.{FalseLiteral, TrueLiteral}
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types.{ArrayType, BooleanType, MapType}
import org.sparkcsql.analyze.{ArrivalNumber, Carrying}
import org.sparkcsql.errors.CsqlErrors

/**
 * FROM and WHERE over a stream whose tuples all count.
 *
 * @param passes whether a row has passed; none when all have
 */
private[stream] final case class Flagged(
    plan: LogicalPlan,
    columns: Seq[Attribute],
    order: Seq[Attribute],
    passes: Option[Attribute]) {
  def carried: Seq[Attribute] = columns ++ passes
  def condition: Expression = passes.getOrElse(TrueLiteral)
}

/**
 * Takes a stream through FROM and WHERE without losing a tuple: a window by tuples counts those that
 * WHERE drops too. What FROM or WHERE would drop stays as one row that is marked as not passing.
 */
private[stream] object FlaggedFrom {
  def apply(
      from: LogicalPlan,
      relation: LogicalPlan,
      replacement: LogicalPlan,
      columns: Seq[Attribute],
      order: Seq[Attribute]): Flagged = {
    def up(node: LogicalPlan): Flagged = node match {
      case same if same eq relation => Flagged(replacement, columns, order, None)
      case SubqueryAlias(_, child) => up(child)
      case hint: ResolvedHint => up(hint.child)
      case Filter(condition, child) => narrowed(up(child), condition)
      case Project(list, child) =>
        val below = up(child)
        below.copy(plan = Project(Carrying.append(list, below.carried), below.plan))
      case expand: Expand =>
        val below = up(expand.child)
        below.copy(plan =
          Expand(expand.projections.map(_ ++ below.carried), expand.output ++ below.carried, below.plan))
      case join: Join => joined(join, relation, up)
      case generate: Generate => generated(generate, up(generate.child))
      case other => refuse(other, other.nodeName)
    }
    up(from)
  }

  /** Conditions are not asked about rows that have failed already: they might fail the query. */
  private def narrowed(below: Flagged, condition: Expression): Flagged = {
    val holds = Coalesce(Seq(condition, FalseLiteral))
    val flag =
      Alias(if (below.passes.isEmpty) holds else If(below.condition, holds, FalseLiteral), "passes")()
    val kept = below.plan.output.filterNot(c => below.passes.exists(_.exprId == c.exprId))
    below.copy(plan = Project(kept :+ flag, below.plan), passes = Some(flag.toAttribute))
  }

  private def joined(join: Join, relation: LogicalPlan, up: LogicalPlan => Flagged): Flagged = {
    val streamLeft = Carrying.holds(join.left, relation)
    val (stream, table) = if (streamLeft) (join.left, join.right) else (join.right, join.left)
    val below = up(stream)
    val outer = if (streamLeft) LeftOuter else RightOuter
    join.joinType match {
      case Inner | Cross => matched(join, below, table, outer, streamLeft, keepsAll = false)
      case kept if kept == outer => matched(join, below, table, outer, streamLeft, keepsAll = true)
      case LeftSemi if streamLeft => narrowed(below, exists(join, below, table))
      case LeftAnti if streamLeft => narrowed(below, Not(exists(join, below, table)))
      case other => refuse(join, other.sql)
    }
  }

  private def matched(
      join: Join,
      below: Flagged,
      table: LogicalPlan,
      outer: JoinType,
      streamLeft: Boolean,
      keepsAll: Boolean): Flagged = {
    val (found, arrival) = (Alias(IsNotNull(Literal(1)), "found")(), Alias(ArrivalNumber(), "arrival")())
    val tagged = Project(table.output ++ Seq(arrival, found), table)
    val condition = (below.passes.toSeq ++ join.condition).reduceOption[Expression](And(_, _))
    val both =
      if (streamLeft) Join(below.plan, tagged, outer, condition, join.hint)
      else Join(tagged, below.plan, outer, condition, join.hint)
    val ordered =
      if (streamLeft) below.order :+ arrival.toAttribute else arrival.toAttribute +: below.order
    val whole = below.copy(plan = both, columns = below.columns :+ arrival.toAttribute, order = ordered)
    if (keepsAll) whole else narrowed(whole, IsNotNull(found.toAttribute.withNullability(true)))
  }

  /** The checks on streams know no join that only asks whether there is a row, but subqueries that do. */
  private def exists(join: Join, below: Flagged, table: LogicalPlan): Expression = {
    val outer = below.plan.outputSet
    val condition = join.condition.getOrElse(TrueLiteral).transform {
      case column: Attribute if outer.contains(column) => OuterReference(column)
    }
    val references = join.condition.toSeq.flatMap(_.references).filter(outer.contains)
    Exists(Filter(condition, table), outerAttrs = references.distinct)
  }

  /** A generator that would give no rows for a tuple gives one, which does not pass. */
  private def generated(generate: Generate, below: Flagged): Flagged = {
    val (generator, something) = generate.generator match {
      case Explode(collection) => (Explode(_: Expression), collection)
      case PosExplode(collection) => (PosExplode(_: Expression), collection)
      case Inline(collection) => (Inline(_: Expression), collection)
      case _: JsonTuple | _: Stack => (null, null)
      case other => refuse(generate, other.prettyName)
    }
    if (generator == null) {
      below.copy(plan = generate.copy(unrequiredChildIndex = Nil, child = below.plan))
    } else {
      val filled = GreaterThan(Size(something, legacySizeOfNull = false), Literal(0))
      val flagged = if (generate.outer) below else narrowed(below, filled)
      val nothing = something.dataType match {
        case ArrayType(element, _) => CreateArray(Seq(Literal(null, element)))
        case map: MapType => Literal(null, map)
        case other => throw new IllegalStateException(s"a generator over ${other.sql}")
      }
      val argument = If(flagged.condition, something, Cast(nothing, something.dataType))
      flagged.copy(plan = generate.copy(
        generator = generator(argument),
        unrequiredChildIndex = Nil,
        outer = true,
        child = flagged.plan))
    }
  }

  private def refuse(node: LogicalPlan, what: String): Nothing = CsqlErrors.analysis(
    "CSQL_NOT_SUPPORTED_YET",
    node.origin,
    "what" -> s"$what in FROM, under a window that counts tuples of a stream that has not ended,",
    "hint" -> "Put the windowed query into a subquery and join its answer, or use a window by time."
  )

  /** What an expression gives for rows that have passed; it is not asked about the others. */
  def guarded(flagged: Flagged, alias: Alias): Alias = flagged.passes match {
    case None => alias
    case Some(passes) =>
      alias.withNewChildren(Seq(If(passes, alias.child, Literal(null, alias.dataType)))).asInstanceOf[Alias]
  }

  /** `expression FILTER (WHERE passes)`. */
  def passing(passes: Option[Attribute], filter: Option[Expression]): Option[Expression] =
    (passes.filter(_.dataType == BooleanType).toSeq ++ filter).reduceOption[Expression](And(_, _))
}
