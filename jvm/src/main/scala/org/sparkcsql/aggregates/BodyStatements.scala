package org.sparkcsql.aggregates

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.{AliasIdentifier, QueryPlanningTracker}
import org.apache.spark.sql.catalyst.analysis._
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.optimizer.ReplaceExpressions
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.catalyst.trees.TreePattern.CURRENT_LIKE
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types._
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan.{AggregateDefinition, BodyStatement}

/** Resolves the statements of a body with Spark's analyser, against the local tables alone. */
private[aggregates] final class BodyStatements(
    session: SparkSession,
    definition: AggregateDefinition,
    names: BodyNames) {
  private val scope = new BodyScope(names)

  /** The aggregates of users that the statements so far call. */
  val called = new ArrayBuffer[UserAggregate]

  def resolved(statement: BodyStatement): LocalStatement = statement.plan match {
    case insert: InsertIntoStatement if isPlain(insert) => inserted(insert, statement)
    case UpdateTable(table, assignments, condition) => updated(table, assignments, condition, statement)
    case DeleteFromTable(table, condition) => deleted(table, condition, statement)
    case other => refuse(statement.at, s"${other.nodeName} is not known in the body of an aggregate.")
  }

  private def isPlain(insert: InsertIntoStatement): Boolean =
    !insert.overwrite && insert.partitionSpec.isEmpty && !insert.byName && insert.replaceCriteriaOpt.isEmpty

  private def inserted(insert: InsertIntoStatement, statement: BodyStatement): LocalStatement = {
    val query = analysed(scope.query(insert.query, statement.condition))
    relationName(insert.table) match {
      case (name, _) if name.equalsIgnoreCase("return") =>
        if (insert.userSpecifiedCols.nonEmpty) refuse(statement.at, "RETURN takes no list of columns.")
        LocalStatement.Return(returned(query, statement), statement.text)
      case (name, at) =>
        val table = target(name, at)
        if (names.window.contains(table)) refuseWindow(at, "INSERT INTO")
        val row = rowOf(query, table, insert.userSpecifiedCols, statement)
        LocalStatement.Insert(table, row, statement.text)
    }
  }

  /** The rows of a query as rows of a table. */
  private def rowOf(
      query: LogicalPlan,
      table: Int,
      listed: Seq[String],
      statement: BodyStatement): LogicalPlan = {
    val columns = names.columns(table)
    listed.find(name => !columns.exists(_.name.equalsIgnoreCase(name))).foreach { name =>
      CsqlErrors.analysis(
        "CSQL_COLUMN_NOT_FOUND",
        statement.at,
        "name" -> name,
        "suggestions" -> columns.map(_.name).mkString(", "))
    }
    val wanted = if (listed.isEmpty) columns.map(_.name) else listed
    val types = wanted.map(name => columns.find(_.name.equalsIgnoreCase(name)).get.dataType)
    val values = assigned(query.output, types, s"the table ${names.tables(table)._1}", statement.at)
    val list = columns.map { column =>
      val at = wanted.indexWhere(_.equalsIgnoreCase(column.name))
      Alias(if (at < 0) Literal(null, column.dataType) else values(at), column.name)()
    }
    Project(list, query)
  }

  private def returned(query: LogicalPlan, statement: BodyStatement): LogicalPlan = {
    val value = definition.returns match {
      case struct: StructType
          if query.output.length != 1 || !AggregateTypes.fits(query.output.head.dataType, struct) =>
        val values = assigned(query.output, struct.map(_.dataType), "RETURN", statement.at)
        CreateNamedStruct(struct.zip(values).flatMap { case (field, v) => Seq(Literal(field.name), v) })
      case single => assigned(query.output, Seq(single), "RETURN", statement.at).head
    }
    Project(Seq(Alias(value, "returned")()), query)
  }

  private def assigned(
      values: Seq[Expression],
      types: Seq[DataType],
      to: String,
      at: Origin): Seq[Expression] = {
    val fits = values.length == types.length &&
      values.zip(types).forall { case (value, wanted) => AggregateTypes.fits(value.dataType, wanted) }
    if (!fits)
      CsqlErrors.analysis(
        "CSQL_AGGREGATE_TYPE",
        at,
        "what" -> s"What goes into $to",
        "wanted" -> AggregateTypes.list(types),
        "found" -> AggregateTypes.list(values.map(_.dataType)))
    values.zip(types).map { case (value, wanted) => AggregateTypes.assigned(value, wanted) }
  }

  private def updated(
      table: LogicalPlan,
      assignments: Seq[Assignment],
      condition: Option[Expression],
      statement: BodyStatement): LocalStatement = {
    val (relation, alias) = targetRelation(table)
    if (names.window.contains(relation.table)) refuseWindow(relationName(table)._2, "UPDATE")
    val columns = names.columns(relation.table)
    val keys = assignments.map(_.key)
    val (row, expressions) =
      overRows(relation, alias, keys ++ assignments.map(_.value) ++ condition, statement)
    val values = expressions.take(keys.length).zip(expressions.drop(keys.length)).map {
      case (column: Attribute, value) if row.exists(_.exprId == column.exprId) => column.exprId -> value
      case (other, _) => refuse(statement.at, s"${other.sql} is no column.")
    }.toMap
    val whole = columns.indices.map { i =>
      values.get(row(i).exprId).fold[Expression](row(i)) { value =>
        assigned(Seq(value), Seq(columns(i).dataType), s"the column ${columns(i).name}", statement.at).head
      }
    }
    LocalStatement.Update(
      relation.table,
      row,
      condition.map(_ => predicate(expressions.last, statement)),
      whole,
      statement.text)
  }

  private def deleted(table: LogicalPlan, condition: Expression, statement: BodyStatement): LocalStatement = {
    val (relation, alias) = targetRelation(table)
    condition match {
      case Literal(true, BooleanType) =>
        LocalStatement.Delete(relation.table, relation.output, None, statement.text)
      case some =>
        val (row, expressions) = overRows(relation, alias, Seq(some), statement)
        LocalStatement.Delete(
          relation.table,
          row,
          Some(predicate(expressions.head, statement)),
          statement.text)
    }
  }

  private def predicate(condition: Expression, statement: BodyStatement): Expression = {
    if (condition.dataType != BooleanType)
      CsqlErrors.analysis(
        "CSQL_AGGREGATE_TYPE",
        statement.at,
        "what" -> "The condition behind WHERE",
        "wanted" -> "BOOLEAN",
        "found" -> condition.dataType.sql)
    condition
  }

  /** Expressions over the rows of a table, resolved. */
  private def overRows(
      relation: LocalTableRelation,
      alias: String,
      expressions: Seq[Expression],
      statement: BodyStatement): (Seq[Attribute], Seq[Expression]) = {
    val list = expressions.map(e => Alias(e, "value")())
    val plan = Project(list, SubqueryAlias(AliasIdentifier(alias), relation))
    analysed(scope.query(plan, None)) match {
      case Project(resolved, SubqueryAlias(_, LocalTableRelation(_, row))) =>
        (row, resolved.map(_.children.head))
      case _ =>
        refuse(statement.at, "Aggregate functions stand in a subquery, (SELECT … FROM …).")
    }
  }

  private def analysed(plan: LogicalPlan): LogicalPlan = {
    val resolved = session.sessionState.analyzer.executeAndCheck(plan, new QueryPlanningTracker)
    resolved.foreachWithSubqueries { node =>
      if (!LocalQueries.knows(node))
        refuse(node.origin, s"${node.nodeName} is not known in the body of an aggregate.")
      val calls = node.expressions.flatMap(UserAggregate.of)
      calls.foreach(_.checkTypes())
      called ++= calls
    }
    BodyStatements.evaluable(resolved)
  }

  private def targetRelation(table: LogicalPlan): (LocalTableRelation, String) = {
    val (name, at) = relationName(table)
    val alias = table match {
      case SubqueryAlias(identifier, _) => identifier.name
      case _ => name
    }
    (names.relation(target(name, at)), alias)
  }

  private def relationName(table: LogicalPlan): (String, Origin) = table match {
    case SubqueryAlias(_, child) => relationName(child)
    case relation: UnresolvedRelation => (relation.multipartIdentifier.mkString("."), relation.origin)
    case other => refuse(other.origin, s"${other.nodeName} is no local table.")
  }

  private def target(name: String, at: Origin): Int =
    names.table(name).getOrElse(scope.unknownTable(name, at))

  private def refuseWindow(at: Origin, verb: String): Nothing =
    CsqlErrors.analysis("CSQL_AGGREGATE_INWINDOW", at, "verb" -> verb)

  private def refuse(at: Origin, reason: String): Nothing =
    CsqlErrors.analysis("CSQL_AGGREGATE_STATEMENT", at, "reason" -> reason)
}

private[aggregates] object BodyStatements {

  /** Without expressions that only the optimiser can take away; what is known outside the rows becomes columns. */
  private def evaluable(plan: LogicalPlan): LogicalPlan = {
    val known = ReplaceExpressions(plan).transformUp { case node =>
      node.mapExpressions(_.transformUp {
        case in @ InSubquery(values, list: ListQuery) =>
          BodySubquery(BodySubqueryKind.In, evaluable(list.plan), values, BooleanType, in.nullable)
        case scalar: ScalarSubquery =>
          BodySubquery(BodySubqueryKind.Value, evaluable(scalar.plan), Nil, scalar.dataType, nullable = true)
        case exists: Exists =>
          BodySubquery(BodySubqueryKind.Exists, evaluable(exists.plan), Nil, BooleanType, nullable = false)
        case OuterReference(column) => column
        case BodyValue(column) => column
        case common: With => inlined(common)
      })
    }
    known.foreach(node => node.expressions.foreach(_.foreach(requireKnown(_, node))))
    known
  }

  /** A statement runs by itself: what a whole query knows, or another process, is not there. */
  private def requireKnown(expression: Expression, node: LogicalPlan): Unit = {
    val isKnown = expression match {
      case _: Attribute | _: SortOrder | _: AggregateExpression | _: BodySubquery => true
      case _: Unevaluable | _: UnevaluableAggregateFunc | _: VariableReference => false
      case leaf if leaf.children.isEmpty => !leaf.containsPattern(CURRENT_LIKE)
      case _ => true
    }
    if (!isKnown)
      CsqlErrors.analysis(
        "CSQL_AGGREGATE_STATEMENT",
        if (expression.origin.startIndex.isDefined) expression.origin else node.origin,
        "reason" -> s"${expression.prettyName} has no value inside of an aggregate; give it as an argument."
      )
  }

  private def inlined(common: With): Expression = common.child.transformUp { case ref: CommonExpressionRef =>
    common.defs.find(_.id == ref.id).get.child
  }
}
