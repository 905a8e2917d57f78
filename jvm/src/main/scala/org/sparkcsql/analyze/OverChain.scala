package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical._
import org.sparkcsql.aggregates.UserAggregate
import org.sparkcsql.catalog.DeclaredStream
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan._

/**
 * The window functions of one query block, some of them ours. Spark has taken them out of the SELECT
 * list: one node for each PARTITION BY and ORDER BY, over the columns that they need.
 *
 * @param own the calls that are ours, in the order of the nodes
 * @param plain the nodes that are left with the others, from the bottom up
 * @param columns the SELECT list below the windows; above FROM and WHERE
 * @param relation the stream inside FROM
 */
private[analyze] final case class OverChain(
    own: Seq[OverCall],
    plain: Seq[Window],
    columns: Seq[NamedExpression],
    from: LogicalPlan,
    relation: LogicalPlan,
    output: Seq[Attribute])

private[analyze] object OverChain {

  /** Whether a plan may hold a chain of ours. */
  def isOurs(node: LogicalPlan): Boolean = node match {
    case window: Window =>
      window.windowExpressions.exists(_.exists(_.isInstanceOf[OwnFrame])) ||
      window.windowExpressions.exists(UserAggregate.in) ||
      (window.orderSpec.isEmpty && items(base(window)).exists(isStream))
    case _ => false
  }

  @scala.annotation.tailrec
  def base(node: LogicalPlan): LogicalPlan = node match {
    case window: Window => base(window.child)
    case other => other
  }

  def mapBase(window: Window, change: LogicalPlan => LogicalPlan): Window = window.child match {
    case inner: Window => window.copy(child = mapBase(inner, change))
    case other => window.copy(child = change(other))
  }

  def holdsCall(expression: Expression): Boolean = expression.exists(_.isInstanceOf[WindowExpression])

  /** Whether an OVER cannot be plain SQL. */
  def isCertain(spec: Expression): Boolean = spec match {
    case WindowSpecDefinition(_, _, SpecifiedWindowFrame(_, own: OwnFrame, _)) => own.certain
    case _ => false
  }

  def windows(node: LogicalPlan): Seq[Window] = node match {
    case window: Window => windows(window.child) :+ window
    case _ => Nil
  }

  def at(top: Window): Either[LogicalPlan, OverChain] = {
    val nodes = windows(top)
    val below = flattened(base(top))
    val onStream = items(below).exists(isStream)
    def isOwn(window: Window)(call: Expression) =
      if (onStream && window.orderSpec.isEmpty) true
      else call.exists(isCertain) || UserAggregate.in(call)
    val own = nodes.flatMap(w => w.windowExpressions.filter(isOwn(w)).map(OverCall.read(_, w)))
    if (own.isEmpty) Left(back(top))
    else {
      refuseGroups(below, own.head)
      refuseOthersExpiring(own)
      val (columns, from) = below match {
        case Project(list, child) => (list, child)
        case other => (other.output, other)
      }
      refuseTimes(columns, nodes)
      val plain = nodes.flatMap { w =>
        val others = w.windowExpressions.filterNot(isOwn(w))
        if (others.isEmpty) None else Some(w.copy(windowExpressions = others))
      }
      val keys = new KeyColumns(own.flatMap(_.partitionBy))
      val keyed = own.map(call => call.copy(partitionBy = keys(call.partitionBy)))
      // beside the columns that they are made of, which may be made in the same list
      val made = AttributeMap(columns.collect { case alias: Alias => alias.toAttribute -> alias.child })
      val added =
        keys.added.map(_.transform { case c: Attribute => made.getOrElse(c, c) }.asInstanceOf[Alias])
      Right(OverChain(keyed, plain, columns ++ added, from, streamOf(from, own), top.output))
    }
  }

  /** The rows of GROUP BY have no order that a stream could bring along. */
  private def refuseGroups(base: LogicalPlan, call: OverCall): Unit = base match {
    case _: Aggregate | Filter(_, _: Aggregate) =>
      CsqlErrors.analysis(
        "CSQL_NOT_SUPPORTED_YET",
        call.at,
        "what" -> "OVER with SLIDE, ACTIVE EXPIRATION or a bare unit beside GROUP BY",
        "hint" -> "Put the GROUP BY into a subquery, SELECT … OVER (ORDER BY … ) FROM (SELECT … GROUP BY …)."
      )
    case _ =>
  }

  /** A tuple that expires shows what the other windows had answered, which a Python worker may not have told yet. */
  private def refuseOthersExpiring(calls: Seq[OverCall]): Unit = {
    val windows = calls.map(call => (call.partitionBy, call.orderBy.map(_.sql), call.frame)).distinct
    val inPython = calls.find(_.userCall.exists(_.programs.inPython))
    if (windows.length > 1 && calls.exists(_.isActive)) inPython.foreach { call =>
      CsqlErrors.analysis(
        "CSQL_NOT_SUPPORTED_YET",
        call.at,
        "what" -> "An aggregate written in Python beside another window, one of them with ACTIVE EXPIRATION,",
        "hint" -> "Write the other OVER in a query around this one."
      )
    }
  }

  private def back(top: Window): LogicalPlan = top.transform { case window: Window =>
    val calls = window.windowExpressions.map(SetFramesAside.backAgain(_).asInstanceOf[NamedExpression])
    window.copy(windowExpressions = calls)
  }

  /** Rows have their own times in a column; `evaluation_time()` is that of the answer. */
  private def refuseTimes(columns: Seq[NamedExpression], windows: Seq[Window]): Unit =
    columns.foreach { column =>
      val used = windows.exists(w =>
        (w.windowExpressions ++ w.partitionSpec ++ w.orderSpec).exists(
          _.references.contains(column.toAttribute)))
      column.foreach {
        case asked: EvaluationTime if used =>
          EvaluationTimes.refuse(asked, "inside OVER there is no answer yet: name the column of the time.")
        case _ =>
      }
    }

  private def items(base: LogicalPlan): Seq[LogicalPlan] = flattened(base) match {
    case Project(_, child) => Block.items(child)
    case other => Block.items(other)
  }

  /** QUALIFY and pipes leave SELECT lists upon each other: one is enough. */
  private def flattened(base: LogicalPlan): LogicalPlan = base match {
    case PipeOperator(child) => flattened(child)
    case Filter(condition, child) =>
      flattened(child) match {
        case Project(below, from) if mayBeRepeated(below) && !SubqueryExpression.hasSubquery(condition) =>
          Project(below, Filter(onto(condition, below), from))
        case other => Filter(condition, other)
      }
    case Project(list, child) =>
      flattened(child) match {
        case Project(below, from) if mayBeRepeated(below) =>
          val made = AttributeMap(below.map(column => column.toAttribute -> column))
          val columns = list.map {
            case column: Attribute => made.getOrElse(column, column)
            case item => onto(item, below).asInstanceOf[NamedExpression]
          }
          Project(columns, from)
        case other => Project(list, other)
      }
    case other => other
  }

  private def mayBeRepeated(list: Seq[NamedExpression]): Boolean =
    list.forall(item => item.deterministic && !SubqueryExpression.hasSubquery(item))

  private def onto(expression: Expression, below: Seq[NamedExpression]): Expression = {
    val made = AttributeMap(below.collect { case alias: Alias => alias.toAttribute -> alias.child })
    expression.transform { case column: Attribute => made.getOrElse(column, column) }
  }

  /** A declared stream, or the answer of a block: these have an order that OVER may rely on. */
  def isStream(item: LogicalPlan): Boolean = item match {
    case view: View => DeclaredStream.of(view).isDefined || isAnswer(view.child)
    case alias: SubqueryAlias => if (Block.isQuery(alias)) isAnswer(alias.child) else isStream(alias.child)
    case other => isAnswer(other)
  }

  private def isAnswer(plan: LogicalPlan): Boolean = plan match {
    case _: ContinuousAnswer => true
    case SubqueryAlias(_, child) => isAnswer(child)
    case Project(_, child) => isAnswer(child)
    case Filter(_, child) => isAnswer(child)
    case _ => false
  }

  /** The item of FROM that the windows go over. */
  private def streamOf(from: LogicalPlan, calls: Seq[OverCall]): LogicalPlan = {
    val all = Block.items(from)
    all.filter(isStream) match {
      case Seq(only) => only
      case Nil =>
        def ordering(item: LogicalPlan) =
          calls.flatMap(_.orderBy.headOption).exists(_.references.subsetOf(item.outputSet))
        all.find(_.isStreaming).orElse(all.find(ordering)).getOrElse(all.head)
      case several =>
        CsqlErrors.analysis(
          "CSQL_NOT_SUPPORTED_YET",
          several(1).origin,
          "what" -> "OVER on a join of two streams",
          "hint" -> "Join the stream with tables, or put one of the streams into a table first."
        )
    }
  }

  /** `evaluation_time()` beside a window function in one expression: below the windows it stands alone. */
  def timesBelow(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case Project(list, top: Window)
        if list.exists(_.exists(_.isInstanceOf[EvaluationTime])) && base(top).isInstanceOf[Project] =>
      val found = list.flatMap(_.collectFirst { case asked: EvaluationTime => asked }).head
      val time = Alias(found, "evaluation time")()
      val timed = list.map(_.transform { case _: EvaluationTime => time.toAttribute }
        .asInstanceOf[NamedExpression])
      val below = mapBase(
        top,
        {
          case Project(columns, child) => Project(columns :+ time, child)
          case other => other
        })
      Project(timed, below)
  }
}
