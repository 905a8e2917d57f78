package org.sparkcsql.parse

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.parser._
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin, SQLQueryContext}
import org.apache.spark.sql.internal.SQLConf

import org.sparkcsql.errors.CsqlErrors

/**
 * Writes the values of parameters into a text that holds something of ours.
 *
 * Spark does this on the text too, but finds the markers with its own grammar, which our clauses do not pass. So the
 * markers are found in the edited tokens and Spark is given a text of the same length that has nothing but them:
 * its checks, its spelling of values and its errors stay in force.
 */
private[parse] object ParameterBinding {

  /** The text with values, and Spark's own map back to the written text. */
  final case class Bound(source: SourceText, mapper: PositionMapper)

  def bind(text: EditedText, parameters: ParameterContext): Bound = {
    val written = text.source.parsed
    val locations = markerLocations(text)
    if (locations.isEmpty || SQLConf.get.legacyParameterSubstitutionConstantsOnly) unchanged(written)
    else {
      val lengths = text.findings.markers.filter(_.use == MarkerUse.Length).map(_.first.getStartIndex).toSet
      val substitutions = substitute(written, locations, parameters).sortBy(_.start).map { s =>
        if (lengths(s.start)) s.copy(replacement = wholeNumber(s.replacement)) else s
      }
      replace(text.source, substitutions)
    }
  }

  private def unchanged(written: String) = Bound(SourceText(written), PositionMapper.identity(written))

  /** True if there is a value for anything at all: only then Spark maps positions. */
  def hasValues(parameters: ParameterContext): Boolean = parameters match {
    case NamedParameterContext(values) => values.nonEmpty
    case PositionalParameterContext(values) => values.nonEmpty
    case HybridParameterContext(values, _) => values.nonEmpty
  }

  /** A marker that no value was given for. */
  def refuseUnbound(text: EditedText): Unit = text.findings.markers.headOption.foreach { marker =>
    val place = text.source.origin(marker.first, marker.last)
    val name = text.source.textOf(marker.first, marker.last)
    CsqlErrors.unboundParameter(
      if (name == "?") s"_${marker.first.getStartIndex}" else name.drop(1).trim,
      place)
  }

  private def markerLocations(text: EditedText): Seq[(Int, Int)] =
    if (!text.source.parsed.contains('?') && !text.source.parsed.contains(':')) Nil
    else {
      val inTree = new SubstituteParmsAstBuilder().extractParameterLocations(new EditedSqlParser(text).tree())
      val ofSpark = inTree.namedParameterLocations.values.flatten ++ inTree.positionalParameterLocations
      val ours =
        text.findings.markers.map(marker => (marker.first.getStartIndex, marker.last.getStopIndex + 1))
      val inside = text.queries.flatMap(markerLocations)
      (ofSpark.map(location => (location.start, location.end)).toSeq ++ ours ++ inside).distinct.sorted
    }

  private def substitute(
      written: String,
      locations: Seq[(Int, Int)],
      parameters: ParameterContext): Seq[Substitution] = {
    val letters = written.codePoints().toArray
    val surrogate = letters.map(letter => if (letter == '\n' || letter == '\r') letter else ' '.toInt)
    "SELECT".zipWithIndex.foreach { case (letter, i) => surrogate(i) = letter.toInt }
    locations.foreach { case (start, end) =>
      (start until end).foreach(i => surrogate(i) = letters(i))
      if (end < surrogate.length && locations.last._2 != end) surrogate(end) = ','.toInt
    }
    try ParameterHandler.substituteParameters(
        new String(surrogate, 0, surrogate.length),
        parameters)._2.substitutions
    catch {
      case e: AnalysisException if e.getQueryContext.nonEmpty => throw inWrittenText(e, written)
    }
  }

  private def inWrittenText(e: AnalysisException, written: String): AnalysisException = new AnalysisException(
    errorClass = e.getCondition,
    messageParameters = e.getMessageParameters.asScala.toMap,
    context = e.getQueryContext.map {
      case context: SQLQueryContext => context.copy(sqlText = Some(written))
      case other => other
    },
    cause = None
  )

  /** `3L` is how Spark writes the long 3; a length is plain digits, also in the text of a view. */
  private def wholeNumber(value: String): String =
    if (value.matches("[0-9]+[LSY]")) value.dropRight(1) else value

  private def replace(source: SourceText, substitutions: Seq[Substitution]): Bound = {
    val written = source.parsed
    val out = new StringBuilder
    var done = 0
    val replacements = substitutions.map { s =>
      val (start, end) = (source.offset(s.start), source.offset(s.end))
      out ++= written.substring(done, start)
      // As Spark does: two strings must not grow together.
      if (start > 0 && "'\"".contains(written.charAt(start - 1))) out += ' '
      val begin = out.length
      out ++= s.replacement
      done = end
      Replacement(begin, out.length, start, end)
    }
    out ++= written.substring(done)
    val bound = new SourceText(out.toString, written, replacements.toIndexedSeq)
    Bound(bound, PositionMapper(written, bound.parsed, substitutions.toList))
  }

  /** What Spark sets around the parsing of a text with values, so that it can map positions back. */
  def origin(bound: Bound): Origin = CurrentOrigin.get.copy(
    sqlText = Some(bound.source.parsed),
    startIndex = Some(0),
    stopIndex = Some(bound.source.parsed.length - 1),
    positionMapper = Some(bound.mapper))
}
