package org.sparkcsql.queries

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.plans.logical.{AnalysisHelper, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.execution.streaming.runtime.MetadataLogFileIndex
import org.apache.spark.sql.execution.streaming.sinks.{FileStreamSink, FileStreamSinkLog}

/**
 * Lets a statement see what a continuous query has committed until now.
 *
 * Spark keeps the list of a table's files in each session until that session itself changes the table
 * or says REFRESH TABLE; the results of a continuous query are written by another session.
 */
final case class CurrentFiles(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    // Of one statement, all readers of a table see the same state of it.
    var listed = Map.empty[Path, CommittedFiles]
    AnalysisHelper.allowInvokingTransformsInAnalyzer {
      plan.transformWithSubqueries {
        case relation: LogicalRelation if relation.catalogTable.exists(isResult) =>
          relation.relation match {
            case files: HadoopFsRelation =>
              val path = new Path(relation.catalogTable.get.location)
              val current = listed.getOrElse(path, CommittedFiles(mine, path, files))
              listed += path -> current
              relation.copy(relation = files.copy(location = current)(mine))
            case _ => relation
          }
      }
    }
  }

  /** A session that read the table before it was the query's still has what the catalog said then. */
  private def isResult(table: CatalogTable): Boolean =
    (table.properties.contains(QueryTable.Marker) || QueryRegistry.fills(table.location)) &&
      hasLog(table.location)

  private def mine = session.asInstanceOf[classic.SparkSession]

  private def hasLog(location: java.net.URI): Boolean =
    FileStreamSink.hasMetadata(
      Seq(location.toString),
      mine.sessionState.newHadoopConf(),
      mine.sessionState.conf)
}

/** The files of one state of a result table; equal states are equal, so that cached answers are found. */
private final class CommittedFiles(
    session: classic.SparkSession,
    path: Path,
    files: HadoopFsRelation,
    private val batch: Option[Long])
    extends MetadataLogFileIndex(session, path, files.options, Some(files.dataSchema)) {
  private val root = path

  override def equals(other: Any): Boolean = other match {
    case that: CommittedFiles => that.root == root && that.batch == batch
    case _ => false
  }

  override def hashCode: Int = (root, batch).hashCode
}

private object CommittedFiles {
  def apply(session: classic.SparkSession, path: Path, files: HadoopFsRelation): CommittedFiles = {
    val log = new Path(path, FileStreamSink.metadataDir).toString
    // Read before the list of files: a batch between the two makes the state look older than it is, never newer.
    val batch = new FileStreamSinkLog(FileStreamSinkLog.VERSION, session, log).getLatestBatchId()
    new CommittedFiles(session, path, files, batch)
  }
}
