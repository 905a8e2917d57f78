package org.sparkcsql.source

import scala.util.Try

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.{NamedStreamingRelation, UnresolvedAttribute}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.types._
import org.sparkcsql.errors.CsqlErrors

/**
 * The table function that a stream with a source is a view over.
 *
 * It gives an unresolved plan: what Spark's own readStream gives, the declared columns over it, and
 * the rows that do not fit them taken out and counted.
 */
object SourceRelation {
  type Description = (FunctionIdentifier, ExpressionInfo, Seq[Expression] => LogicalPlan)

  private val Corrupt = "_csql_corrupt_record"
  private val CorruptOption = "columnNameOfCorruptRecord"

  val function: Description = (
    FunctionIdentifier(SourceDefinition.FunctionName),
    new ExpressionInfo(getClass.getName.stripSuffix("$"), SourceDefinition.FunctionName),
    {
      case Seq(Argument(source)) => plan(source)
      case _ =>
        CsqlErrors.analysis(
          "CSQL_SOURCE_INVALID",
          CurrentOrigin.get,
          "source" -> SourceDefinition.FunctionName,
          "reason" -> "this function is only called by the streams that CREATE STREAM … SOURCE declares"
        )
    })

  private object Argument {
    def unapply(argument: Expression): Option[SourceDefinition] = argument match {
      case Literal(text, StringType) if text != null =>
        Try(SourceDefinition.ofArgument(text.toString)).toOption
      case _ => None
    }
  }

  private def plan(source: SourceDefinition): LogicalPlan = source.lines match {
    case Some(format) => fromLines(source, format)
    case None if source.columns.isEmpty => read(source, None, source.options)
    case None if !SourceProviders.takesColumns(source.provider) => fromOwnColumns(source)
    case None => fromColumns(source)
  }

  private def read(
      source: SourceDefinition,
      columns: Option[StructType],
      options: Map[String, String]): LogicalPlan =
    EndlessSource(
      NamedStreamingRelation.withUserProvidedName(
        UnresolvedDataSource(
          source.provider,
          columns,
          CaseInsensitiveMap(options),
          isStreaming = true,
          paths = Nil),
        None))

  /** The provider has columns of its own: the declared ones are found among them by name. */
  private def fromOwnColumns(source: SourceDefinition): LogicalPlan = Project(
    source.columns.map(field => Alias(Cast(column(field.name), field.dataType), field.name)()),
    read(source, None, source.options))

  private def fromColumns(source: SourceDefinition): LogicalPlan = {
    val options = CaseInsensitiveMap(source.options)
    // Who names a mode, or a column for the rows that do not fit, has said what is to become of them.
    val findsMisfits =
      SourceProviders.isText(source.provider) && !options.contains("mode") && !options.contains(CorruptOption)
    val columns = nullable(source.columns)
    if (!findsMisfits) {
      fit(source, read(source, Some(columns), source.options), missing(source, column(_)))
    } else {
      val relation =
        read(
          source,
          Some(columns.add(Corrupt, StringType)),
          source.options + (CorruptOption -> Corrupt) + ("mode" -> "PERMISSIVE"))
      fit(source, relation, IsNotNull(column(Corrupt)) +: missing(source, column(_)))
    }
  }

  private def fromLines(source: SourceDefinition, format: LineFormat): LogicalPlan = {
    val parserOptions = Map(CorruptOption -> Corrupt, "mode" -> "PERMISSIVE")
    val columns = nullable(source.columns).add(Corrupt, StringType)
    val line = Cast(column("value"), StringType)
    val relation = read(source, None, source.options)
    format match {
      case LineFormat.Text =>
        Project(Seq(Alias(line, source.columns.head.name)()), relation)
      case parsed =>
        val row =
          if (parsed == LineFormat.Json) JsonToStructs(columns, parserOptions, line)
          else CsvToStructs(columns, parserOptions, line)
        def field(name: String) = UnresolvedAttribute(Seq("row", name))
        val misfits = Seq(IsNull(column("row")), IsNotNull(field(Corrupt))) ++ missing(source, field)
        val whole = CreateStruct(Seq(column("row")))
        // as in files
        val lines = if (parsed == LineFormat.Csv) Filter(Not(isBlank(line)), relation) else relation
        val rows = takeOut(source, misfits, whole, Project(Seq(Alias(row, "row")()), lines))
        Project(source.columns.map(c => Alias(field(c.name), c.name)()), rows)
    }
  }

  private def isBlank(line: Expression): Expression = EqualTo(Length(StringTrim(line)), Literal(0))

  /** Whether a column may be NULL is checked here, where it can be counted. */
  private def nullable(columns: StructType): StructType =
    StructType(columns.map(_.copy(nullable = true)))

  private def column(name: String): UnresolvedAttribute = UnresolvedAttribute(Seq(name))

  /** A column declared NOT NULL that is NULL. */
  private def missing(source: SourceDefinition, column: String => Expression): Seq[Expression] =
    source.columns.filterNot(_.nullable).map(field => IsNull(column(field.name)))

  private def fit(source: SourceDefinition, relation: LogicalPlan, misfits: Seq[Expression]): LogicalPlan = {
    // All columns are part of the condition: parsers look only at columns that are asked for, and a row must
    // not fit one query and fail to fit another.
    val all = CreateStruct(source.columns.map(field => column(field.name)))
    Project(source.columns.map(field => column(field.name)), takeOut(source, misfits, all, relation))
  }

  private def takeOut(
      source: SourceDefinition,
      misfits: Seq[Expression],
      row: Expression,
      relation: LogicalPlan): LogicalPlan =
    misfits.reduceOption(Or(_, _)).fold(relation) { misfit =>
      Filter(Not(misfit), RejectedRows.count(source.label, misfit, row, relation))
    }
}
