package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.plans.logical._
import org.sparkcsql.plan._

/** A block in the terms of the stream algebra: W windows, F frequencies, σ selection, π projection, γ grouping. */
object Algebra {
  def of(block: Block): String = {
    val windowed = block.clause.fold(name(block.stream))(Algebra.windowed(_, name(block.stream)))
    val selected = conditions(block.from).foldLeft(windowed)((inner, c) => s"σ[$c]($inner)")
    val joined = if (joins(block.from)) s"⋈($selected, …)" else selected
    val grouped = block.aggregate.fold(joined) { a =>
      val keys = a.groupingExpressions.map(_.sql).mkString(", ")
      s"γ[${if (keys.isEmpty) "" else keys + "; "}${a.aggregateExpressions.map(_.sql).mkString(", ")}]($joined)"
    }
    val projected = block.above.reverse.foldLeft(grouped) {
      case (inner, Project(list, _)) => s"π[${list.map(_.sql).mkString(", ")}]($inner)"
      case (inner, Filter(condition, _)) => s"σ[${condition.sql}]($inner)"
      case (inner, _: Distinct) => s"δ($inner)"
      case (inner, _) => inner
    }
    block.answerFrequency.fold(projected)(f => s"${frequency(f)}($projected)")
  }

  /** What the rows of a block's window and groups depend on: not its SELECT list, nor HAVING. */
  def beneath(block: Block): String = {
    val windowed = block.clause.fold(name(block.stream))(Algebra.windowed(_, name(block.stream)))
    val parts = block.from.collect {
      case node if !Carrying.holds(block.stream, node) => node.expressions.map(_.sql).mkString(", ")
    }
    s"$windowed; ${parts.filter(_.nonEmpty).mkString("; ")}; " +
      block.aggregate.toSeq.flatMap(_.groupingExpressions).map(_.sql).mkString(", ")
  }

  def windowed(clause: WindowClause, stream: String): String = {
    val shaped = clause.shape.fold(stream)(s => s"W[${shape(s)}]($stream)")
    clause.frequency.fold(shaped)(f => s"${frequency(f)}($shaped)")
  }

  def shape(shape: WindowShape): String = shape match {
    case WindowShape.Range(length, lag, by, _) =>
      s"Range ${text(length)}${lag.fold("")(l => s" Lag ${text(l)}")}${partition(by)}"
    case _: WindowShape.Now => "Now"
    case _: WindowShape.Unbounded => "Range Unbounded"
    case WindowShape.Between(from, until, _) =>
      val word = if (from.isDefined && until.isDefined) "Band" else "Landmark"
      word + from.fold("")(f => s" From ${f.value.sql}") + until.fold("")(u => s" Until ${u.value.sql}")
  }

  private def frequency(frequency: Frequency): String = s"F[${frequencyText(frequency)}]"

  def frequencyText(frequency: Frequency): String =
    s"${text(frequency.length)}${partition(frequency.partitionBy)}${frequency.origin.fold("")(o =>
        s" Origin ${o.value.sql}")}"

  private def partition(by: Seq[ColumnName]): String =
    if (by.isEmpty) "" else s" Partitioned By ${by.map(_.text).mkString(", ")}"

  def text(length: Length): String = length.inLongestUnit match {
    case Length(1, LengthUnit.Tuples, _) => "1 Tuple"
    case Length(count, LengthUnit.Tuples, _) => s"$count Tuples"
    case Length(value, LengthUnit.Time(unit, _), _) => s"$value $unit${if (value == 1) "" else "s"}"
    case Length(value, LengthUnit.Bare, _) => value.toString
  }

  def name(plan: LogicalPlan): String = plan match {
    case SubqueryAlias(identifier, _) => identifier.name
    case view: View => view.desc.identifier.table
    case other => other.nodeName
  }

  private def conditions(from: LogicalPlan): Seq[String] = from match {
    case Filter(condition, child) => conditions(child) :+ condition.sql
    case _ => Nil
  }

  private def joins(from: LogicalPlan): Boolean = from match {
    case Filter(_, child) => joins(child)
    case Project(_, child) => joins(child)
    case _: Join | _: LateralJoin => true
    case _ => false
  }
}
