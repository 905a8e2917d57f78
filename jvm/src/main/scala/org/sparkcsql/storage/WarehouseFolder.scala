package org.sparkcsql.storage

import java.io.IOException
import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.util.UUID

import scala.util.control.NonFatal

import org.apache.hadoop.fs.{FileAlreadyExistsException, FileSystem, LocalFileSystem, Path}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager
import org.sparkcsql.errors.CsqlErrors

/**
 * The folder inside the warehouse where definitions are kept, one small file each.
 *
 * Its name begins with an underscore, which hides it from everything that lists tables or files.
 * Files are replaced as a whole (written aside, then renamed), so a reader sees the old or the new one.
 */
final class WarehouseFolder(session: SparkSession, kind: String) extends Logging {
  val path: Path =
    new Path(new Path(session.sessionState.conf.warehousePath, WarehouseFolder.Name), kind)

  private lazy val configuration = session.sessionState.newHadoopConf()

  // On this machine's own disk Hadoop keeps a checksum in a second file. The two cannot be replaced at once,
  // and a reader would see the one without the other: so they are left out.
  private lazy val (system: FileSystem, isLocal: Boolean) = path.getFileSystem(configuration) match {
    case local: LocalFileSystem => (local.getRawFileSystem, true)
    case other => (other, false)
  }

  def file(name: String): Path = new Path(path, name)

  def names(suffix: String): Seq[String] =
    if (!system.exists(path)) Nil
    else
      system
        .listStatus(path)
        .toSeq
        .map(_.getPath.getName)
        .filter(name => name.endsWith(suffix) && !name.startsWith("."))
        .sorted

  def read(name: String): Option[String] =
    try {
      val in = system.open(file(name))
      try Some(new String(in.readAllBytes(), UTF_8))
      finally in.close()
    } catch { case _: java.io.FileNotFoundException => None }

  /** What a file says; one that is damaged is an error that names it. */
  def definition[A](name: String)(of: String => A): Option[A] = read(name).map { text =>
    try of(text)
    catch {
      case NonFatal(e) =>
        CsqlErrors.analysis(
          "CSQL_DEFINITION_DAMAGED",
          Origin(),
          "file" -> file(name).toString,
          "reason" -> String.valueOf(e.getMessage))
    }
  }

  /** What all files say. A damaged one is told and left as it is: it must not keep the others from being known. */
  def definitions[A](suffix: String)(of: String => A): Seq[A] = names(suffix).flatMap { name =>
    try definition(name)(of)
    catch {
      case NonFatal(e) =>
        logWarning(e.getMessage)
        None
    }
  }

  /** Fails with a FileAlreadyExistsException of Hadoop's where `replace` is not wanted and the file is there. */
  def write(name: String, text: String, replace: Boolean): Unit = {
    system.mkdirs(path)
    if (isLocal) writeLocal(name, text, replace)
    else {
      val files = CheckpointFileManager.create(path, configuration)
      val out = files.createAtomic(file(name), overwriteIfPossible = replace)
      try {
        out.write(text.getBytes(UTF_8))
        out.close()
      } catch {
        case e: Throwable =>
          out.cancel()
          throw e
      }
    }
  }

  /** The rename of the operating system replaces a file in one step. */
  private def writeLocal(name: String, text: String, replace: Boolean): Unit = {
    if (!replace && system.exists(file(name))) throw new FileAlreadyExistsException(file(name).toString)
    val aside = file(s".$name.${UUID.randomUUID()}.tmp")
    val out = system.create(aside, true)
    try out.write(text.getBytes(UTF_8))
    finally out.close()
    if (!system.rename(aside, file(name))) throw new IOException(s"$aside could not be renamed to $name")
  }

  def delete(name: String): Unit = system.delete(file(name), false)

  def modified(name: String): Option[Long] =
    if (system.exists(file(name))) Some(system.getFileStatus(file(name)).getModificationTime) else None
}

object WarehouseFolder {
  val Name = "_spark_csql"

  /** A file name for any name: what can be read of it, and a hash that tells it from all others. */
  def fileName(name: String): String = {
    val hash = MessageDigest.getInstance("SHA-256").digest(name.getBytes(UTF_8))
    val readable = name.map(c => if (c < 128 && Character.isLetterOrDigit(c)) c else '_').take(60)
    readable + "-" + hash.take(8).map(byte => f"${byte & 0xff}%02x").mkString
  }
}
