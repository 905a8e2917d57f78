package org.sparkcsql.source

import java.net.URLDecoder
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Locale

import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.types.{StringType, StructType}
import org.sparkcsql.errors.CsqlErrors

/**
 * Reads what stands behind SOURCE.
 *
 *   - `rate`, `rate://?rowsPerSecond=5`
 *   - `socket://host:port`, or `port4445` for a socket on this machine
 *   - `kafka://host:port/topic`
 *   - `json:folder`, `csv:folder?header=true`, `parquet:folder`, …
 *   - a folder whose format is its extension or the option `format`
 */
final class SourceUri(uri: String, columns: StructType, label: String, at: Origin) {
  import SourceUri._

  private val (address, written) = uri match {
    case WithOptions(address, options) => (address, decoded(options))
    case _ => (uri, Map.empty[String, String])
  }

  def definition: SourceDefinition = address match {
    case Rate() => of("rate", None, written)
    case Port(port) => socket("localhost", port)
    case Socket(host, port) => socket(host.stripPrefix("[").stripSuffix("]"), port)
    case Kafka(servers, topic) =>
      val options = Map("kafka.bootstrap.servers" -> servers, "subscribe" -> topic)
      of("kafka", Some(lineFormat), options ++ (written - "format"))
    case OtherSystem(_) => refuse("it is not of the form scheme://host:port")
    case Files(format, path) if fileFormats(format.toLowerCase(Locale.ROOT)) =>
      if (written.contains("format")) refuse("its format is told twice")
      files(format, path)
    case path => files(written.getOrElse("format", extension(path)), path)
  }

  private def socket(host: String, port: String): SourceDefinition =
    of("socket", Some(lineFormat), Map("host" -> host, "port" -> port) ++ (written - "format"))

  private def files(format: String, path: String): SourceDefinition = {
    if (path.trim.isEmpty) refuse("it names no folder")
    of(format.toLowerCase(Locale.ROOT), None, (written - "format") + ("path" -> path))
  }

  private def of(provider: String, lines: Option[LineFormat], options: Map[String, String]) =
    SourceDefinition(label, provider, lines, options, columns)

  /** A line is JSON unless it is said otherwise; into a single STRING goes the line itself. */
  private def lineFormat: LineFormat = {
    val single = columns.length == 1 && columns.head.dataType == StringType
    val format = written.get("format") match {
      case Some(name) => LineFormat.find(name).getOrElse(refuse(s"'$name' is not one of json, csv, text"))
      case None => if (single) LineFormat.Text else LineFormat.Json
    }
    if (columns.isEmpty) refuse("its rows need a list of columns: CREATE STREAM s (id INT, ts TIMESTAMP) …")
    if (format == LineFormat.Text && !single) refuse("a line of text is one column of type STRING")
    format
  }

  private def extension(path: String): String = {
    val name = path.stripSuffix("/").split('/').lastOption.getOrElse("")
    val found = name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT)
    if (name.contains('.') && fileFormats(found)) found
    else refuse("it does not tell the format of its files")
  }

  private def decoded(options: String): Map[String, String] = options
    .split('&')
    .map(option => option.splitAt(option.indexOf('=')))
    .map { case (key, value) => key -> decodedValue(key, value.drop(1)) }
    .toMap

  /** Only %… is decoded; a plus is a plus, as it may be part of a pattern. */
  private def decodedValue(key: String, value: String): String =
    try URLDecoder.decode(value.replace("+", "%2B"), UTF_8)
    catch {
      case _: IllegalArgumentException => refuse(s"in its option $key a % is written %25")
    }

  private def refuse(reason: String): Nothing =
    CsqlErrors.analysis("CSQL_SOURCE_INVALID", at, "source" -> address, "reason" -> reason)
}

object SourceUri {
  private val fileFormats = Set("json", "csv", "parquet", "orc", "text", "xml", "avro")

  private val OneOption = "[A-Za-z][\\w.\\-]*=[^&]*"
  private val WithOptions = s"(?s)(.*?)\\?($OneOption(?:&$OneOption)*)".r
  private val Rate = "(?i)rate(?::(?://)?)?".r
  private val Port = "(?i)port(\\d{1,5})".r
  private val Socket = "(?i)(?:socket|tcp)://([^/?#@\\s]+):(\\d{1,5})/?".r
  private val Kafka = "(?i)kafka://([^/?#@\\s]+)/([^/?#\\s]+)".r
  private val OtherSystem = "(?is)(rate|socket|tcp|kafka):.*".r
  private val Files = "(?s)([A-Za-z]+):(.*)".r
}
