package org.sparkcsql.batch

import java.io.IOException
import java.util.{LinkedHashMap, Map => JavaMap}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.{FilePartition, PartitionedFile}
import org.sparkcsql.plan.RunIndex

/**
 * Remembers how the tuples stand in files, so that later queries need not look again. What counts is the
 * file as it is, not as it was listed: one that kept its length and the time of its last change is the same.
 */
private[batch] object KnownRuns {

  /** They are asked for their last change one after another. */
  private val MostFiles = 256
  private val MostKept = 64

  /** A file may change twice within the smallest time that its system tells. */
  private val SettledMillis = 3000L

  /** All that decides what is read, and where each partition's part of it lies. */
  private final case class Source(
      settings: Map[String, String],
      reading: String,
      parts: Seq[Seq[Part]])

  private final case class Part(file: Path, size: Long, changed: Long, start: Long, length: Long)

  private val kept = new LinkedHashMap[Source, RunIndex](16, 0.75f, true) {
    override def removeEldestEntry(eldest: JavaMap.Entry[Source, RunIndex]): Boolean = size > MostKept
  }

  def of(times: StoredTimes, session: SparkSession)(find: => Option[RunIndex]): Option[RunIndex] =
    source(times, session) match {
      case Some(files) if isAsListed(files, session.sessionState.newHadoopConf()) =>
        known(files).orElse {
          val settled = isSettled(files)
          val found = find
          if (settled) found.foreach(keep(files, _))
          found
        }
      case _ => find
    }

  private def known(source: Source): Option[RunIndex] = kept.synchronized(Option(kept.get(source)))

  private def keep(source: Source, found: RunIndex): Unit = kept.synchronized(kept.put(source, found): Unit)

  private def source(times: StoredTimes, session: SparkSession): Option[Source] = {
    val partitions = times.batches.partitions.toSeq.collect { case files: FilePartition => files.files.toSeq }
    val all = partitions.iterator.map(_.length).sum
    if (partitions.length == times.batches.partitions.length && all <= MostFiles)
      Some(Source(session.sessionState.conf.getAllConfs, times.reading, partitions.map(_.map(part))))
    else None
  }

  private def part(file: PartitionedFile): Part =
    Part(file.toPath, file.fileSize, file.modificationTime, file.start, file.length)

  private def isAsListed(source: Source, hadoop: Configuration): Boolean =
    source.parts.flatten.distinctBy(_.file).forall { part =>
      try {
        val now = part.file.getFileSystem(hadoop).getFileStatus(part.file)
        now.getLen == part.size && now.getModificationTime == part.changed
      } catch {
        // whoever reads it says what is wrong
        case _: IOException => false
      }
    }

  private def isSettled(source: Source): Boolean = {
    val before = System.currentTimeMillis() - SettledMillis
    source.parts.forall(_.forall(_.changed < before))
  }
}
