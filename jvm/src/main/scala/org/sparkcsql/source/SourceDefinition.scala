package org.sparkcsql.source

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.sql.types.{DataType, StructType}
import org.json4s._
import org.json4s.jackson.JsonMethods

/**
 * Where the rows of a declared stream come from, in Spark's terms.
 *
 * @param label names the stream in the counters of its rejected rows
 * @param lines how a line becomes a row, where the provider delivers lines (a socket, Kafka)
 * @param columns the declared columns; none: those of the provider
 */
final case class SourceDefinition(
    label: String,
    provider: String,
    lines: Option[LineFormat],
    options: Map[String, String],
    columns: StructType) {

  /** The query of the view that the stream is. */
  def viewText: String =
    s"${SourceDefinition.Before}${SourceDefinition.encode(json)}${SourceDefinition.After}"

  private def json: String = JsonMethods.compact(
    JObject(
      "label" -> JString(label),
      "provider" -> JString(provider),
      "lines" -> lines.fold[JValue](JNull)(format => JString(format.name)),
      "options" -> JObject(options.toList.sorted.map { case (key, value) => key -> JString(value) }),
      "columns" -> JString(columns.json)
    ))
}

object SourceDefinition {
  val FunctionName = "csql_source"
  private val Before = s"SELECT * FROM $FunctionName('"
  private val After = "')"

  /** What a view reads, if it was made from a source. */
  def ofViewText(text: String): Option[SourceDefinition] =
    if (text.startsWith(Before) && text.endsWith(After))
      Some(ofArgument(text.substring(Before.length, text.length - After.length)))
    else None

  def ofArgument(argument: String): SourceDefinition = {
    implicit val formats: Formats = DefaultFormats
    val json = JsonMethods.parse(decode(argument))
    SourceDefinition(
      (json \ "label").extract[String],
      (json \ "provider").extract[String],
      (json \ "lines").extractOpt[String].map(LineFormat.named),
      (json \ "options").extract[Map[String, String]],
      DataType.fromJson((json \ "columns").extract[String]).asInstanceOf[StructType]
    )
  }

  /** Left as it is: what no setting of Spark's parser reads in another way between single quotes. */
  private def isPlain(byte: Byte): Boolean = byte >= ' ' && byte < 127 && !"'\\%$".contains(byte.toChar)

  /** User text goes into SQL only in this form, so nothing in it can end the string or be replaced. */
  private def encode(text: String): String =
    text.getBytes(UTF_8).map(b => if (isPlain(b)) b.toChar.toString else f"%%${b & 0xff}%02X").mkString

  private def decode(text: String): String = {
    val bytes = new java.io.ByteArrayOutputStream
    var i = 0
    while (i < text.length)
      if (text.charAt(i) == '%') {
        bytes.write(Integer.parseInt(text.substring(i + 1, i + 3), 16))
        i += 3
      } else {
        bytes.write(text.charAt(i).toInt)
        i += 1
      }
    bytes.toString(UTF_8)
  }
}

/** How a line of text becomes a row. */
sealed abstract class LineFormat(val name: String) extends Product with Serializable
object LineFormat {
  case object Json extends LineFormat("json")
  case object Csv extends LineFormat("csv")

  /** The line is the row's one column. */
  case object Text extends LineFormat("text")

  private val all = Seq(Json, Csv, Text)
  def find(name: String): Option[LineFormat] = all.find(_.name.equalsIgnoreCase(name))
  def named(name: String): LineFormat = find(name).getOrElse(throw new NoSuchElementException(name))
}
