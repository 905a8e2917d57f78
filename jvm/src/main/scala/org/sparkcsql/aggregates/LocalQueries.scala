package org.sparkcsql.aggregates

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types._
import org.sparkcsql.analyze.ComparedByBytes

/** The rows of a query over local tables; a row may be overwritten when the next one is asked for. */
private[aggregates] trait LocalRows {

  /** @param around the values that are known outside: arguments, the oldest tuple, rows of the queries around */
  def rows(around: InternalRow): Iterator[InternalRow]
}

/** The tables of the run that is at work. */
private[aggregates] final class CurrentTables {
  var tables: Array[LocalTable] = Array.empty
}

/** Makes queries over local tables runnable, in one task. They are small, so joins are loops. */
private[aggregates] final class LocalQueries(current: CurrentTables, partition: Int) {

  /** @param around the columns of what is known outside */
  def apply(plan: LogicalPlan, around: Seq[Attribute]): LocalRows = plan match {
    case SubqueryAlias(_, child) => apply(child, around)
    case LocalTableRelation(table, _) => _ => current.tables(table).all.map(_.row)
    case _: OneRowRelation => _ => Iterator.single(InternalRow.empty)
    case LocalRelation(_, data, _, _) => _ => data.iterator
    case Project(list, child) =>
      val (input, project) = (apply(child, around), projection(list, around ++ child.output))
      val joined = new JoinedRow
      outside => input.rows(outside).map(row => project(joined(outside, row)))
    case Filter(condition, child) => filtered(condition, child, around)
    case join: Join => new LocalJoin(join, this, around)
    case aggregate: Aggregate => new LocalGroups(aggregate, this, around, partition)
    case Distinct(child) => distinct(child, around)
    case sort: Sort => sorted(sort, around)
    case GlobalLimit(count, child) => limited(count, child, around)
    case LocalLimit(_, child) => apply(child, around)
    case Offset(count, child) =>
      val (input, skipped) = (apply(child, around), count.eval().asInstanceOf[Int])
      outside => input.rows(outside).drop(skipped)
    case union: Union =>
      val inputs = union.children.map(apply(_, around))
      outside => inputs.iterator.flatMap(_.rows(outside))
    case other => throw new IllegalStateException(s"a query of an unknown kind: ${other.nodeName}")
  }

  private def limited(count: Expression, child: LogicalPlan, around: Seq[Attribute]): LocalRows = {
    val (input, most) = (apply(child, around), count.eval().asInstanceOf[Int])
    outside => input.rows(outside).take(most)
  }

  private def filtered(condition: Expression, child: LogicalPlan, around: Seq[Attribute]): LocalRows = {
    val passes = predicate(condition, around ++ child.output)
    val joined = new JoinedRow
    LocalQueries.table(child) match {
      case Some(relation) =>
        val near = lookup(relation, Some(condition), around)
        outside => near(outside).map(_.row).filter(row => passes.eval(joined(outside, row)))
      case None =>
        val input = apply(child, around)
        outside => input.rows(outside).filter(row => passes.eval(joined(outside, row)))
    }
  }

  /** The rows of a table that may fulfil a condition: by hash, where it asks for equal columns. */
  def lookup(
      relation: LocalTableRelation,
      condition: Option[Expression],
      around: Seq[Attribute]): InternalRow => Iterator[LocalRow] = {
    val equal =
      condition.toSeq.flatMap(LocalQueries.equalities(_, relation.output)).sortBy(_._1).distinctBy(_._1)
    if (equal.isEmpty) _ => current.tables(relation.table).all
    else {
      val columns = equal.map(_._1)
      val key = new TableKey(
        columns,
        UnsafeProjection.create(columns.map(i => relation.output(i): Expression), relation.output))
      val wanted = projection(equal.map(_._2), around)
      outside => current.tables(relation.table).near(key, wanted(outside))
    }
  }

  private def distinct(child: LogicalPlan, around: Seq[Attribute]): LocalRows = {
    val input = apply(child, around)
    val whole = projection(child.output.map(ComparedByBytes.normalized), child.output)
    outside => input.rows(outside).map(row => whole(row).copy()).distinct
  }

  private def sorted(sort: Sort, around: Seq[Attribute]): LocalRows = {
    val input = apply(sort.child, around)
    val whole = projection(sort.child.output, sort.child.output)
    val keys = projection(sort.order.map(_.child), around ++ sort.child.output)
    val order = RowOrdering.create(
      sort.order.zipWithIndex.map { case (by, i) =>
        SortOrder(BoundReference(i, by.dataType, nullable = true), by.direction, by.nullOrdering, Nil)
      },
      Nil)
    val joined = new JoinedRow
    outside =>
      val read =
        input.rows(outside).map(row => (keys(joined(outside, row)).copy(), whole(row).copy())).toArray
      read.sortWith((a, b) => order.compare(a._1, b._1) < 0).iterator.map(_._2)
  }

  def projection(list: Seq[Expression], input: Seq[Attribute]): UnsafeProjection = {
    val made = UnsafeProjection.create(list.map(runnable(_, input)), input)
    made.initialize(partition)
    made
  }

  def predicate(condition: Expression, input: Seq[Attribute]): BasePredicate = {
    val made = Predicate.create(runnable(condition, input), input)
    made.initialize(partition)
    made
  }

  /** Subqueries run for the row that they stand beside. */
  private def runnable(expression: Expression, input: Seq[Attribute]): Expression = expression.transformUp {
    case BodySubquery(kind, plan, values, dataType, nullable) =>
      val query = new RowQuery(apply(plan, input))
      kind match {
        case BodySubqueryKind.In => InLocalQuery(values, query, plan.output.map(_.dataType), nullable)
        case BodySubqueryKind.Value => LocalQueryValue(query, dataType)
        case BodySubqueryKind.Exists => LocalQueryExists(query)
      }
  }
}

private[aggregates] object LocalQueries {
  def knows(node: LogicalPlan): Boolean = node match {
    case _: SubqueryAlias | _: LocalTableRelation | _: OneRowRelation | _: LocalRelation => true
    case _: Project | _: Filter => true
    case join: Join =>
      join.joinType match {
        case Inner | Cross | LeftOuter | RightOuter | FullOuter | LeftSemi | LeftAnti => true
        case _ => false
      }
    case _: Aggregate | _: Distinct | _: Sort | _: GlobalLimit | _: LocalLimit | _: Offset | _: Union => true
    case _ => false
  }

  private def table(plan: LogicalPlan): Option[LocalTableRelation] = plan match {
    case SubqueryAlias(_, child) => table(child)
    case relation: LocalTableRelation => Some(relation)
    case _ => None
  }

  /** The columns that a condition compares with something known outside, by their places. */
  private def equalities(condition: Expression, columns: Seq[Attribute]): Seq[(Int, Expression)] = {
    val own = AttributeSet(columns)
    def pair(column: Expression, value: Expression): Option[(Int, Expression)] = column match {
      case found: Attribute if own.contains(found) && isKnown(value) && hashes(found, value) =>
        Some(columns.indexWhere(_.exprId == found.exprId) -> value)
      case _ => None
    }
    def isKnown(value: Expression) =
      value.deterministic && !value.references.exists(own.contains) && !value.exists(
        _.isInstanceOf[BodySubquery])
    condition match {
      case And(left, right) => equalities(left, columns) ++ equalities(right, columns)
      case EqualTo(left, right) => pair(left, right).orElse(pair(right, left)).toSeq
      case _ => Nil
    }
  }

  /** Whether equal values have equal bytes. */
  private def hashes(column: Expression, value: Expression): Boolean = column.dataType == value.dataType &&
    (column.dataType match {
      case ByteType | ShortType | IntegerType | LongType | DateType | TimestampType | TimestampNTZType => true
      case BooleanType | BinaryType => true
      case string: StringType => string == StringType
      case _ => false
    })
}
