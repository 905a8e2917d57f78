package org.sparkcsql.aggregates

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.sparkcsql.errors.{CsqlErrors, CsqlRuntimeException}
import org.sparkcsql.kernel.{ByteReader, ByteWriter}
import org.sparkcsql.plan.Section

/** The statements of an aggregate, compiled for one task. */
private[aggregates] final class SqlTask(program: SqlProgram, partition: Int) extends AggregateTask {
  private val current = new CurrentTables
  private val statements = new RunnableStatements(
    new LocalQueries(current, partition),
    program.arguments ++ program.oldest,
    program.returns)
  private val outside = new JoinedRow
  private val nothing = new GenericInternalRow(program.oldest.length)

  private val sections: Map[Section, Array[StatementRun]] = program.sections.map { case (section, list) =>
    section -> list.map(statements.runnable).toArray
  }
  private val initialize =
    of(if (sections.contains(Section.Initialize)) Section.Initialize else Section.Iterate)
  private val (iterate, terminate) = (of(Section.Iterate), of(Section.Terminate))
  private val expire = of(Section.Expire)

  private def of(section: Section): (Section, Array[StatementRun]) =
    section -> sections.getOrElse(section, Array.empty)

  private val codec = new ReturnedCodec(program.returns)

  override def run(window: Option[LocalTable]): AggregateRun = new SqlRun(window)

  private final class SqlRun(window: Option[LocalTable]) extends LocalRun(codec) {
    private val tables: Array[LocalTable] = program.tables.zipWithIndex.map { case (columns, i) =>
      window.filter(_ => program.window.contains(i)).getOrElse(new LocalTable(columns.length))
    }.toArray
    private val own = tables.indices.filterNot(i => window.isDefined && program.window.contains(i))

    /** The arguments that TERMINATE sees: those of the last tuple. */
    private var last: UnsafeRow = null

    override protected def initialize(arguments: UnsafeRow): Unit = {
      last = arguments
      execute(SqlTask.this.initialize, arguments)
    }
    override protected def iterate(arguments: UnsafeRow): Unit = {
      last = arguments
      execute(SqlTask.this.iterate, arguments)
    }
    override protected def finish(): Unit = execute(SqlTask.this.terminate, last)
    override protected def expiring(arguments: UnsafeRow): Unit = execute(SqlTask.this.expire, arguments)

    private def execute(section: (Section, Array[StatementRun]), arguments: InternalRow): Unit = {
      current.tables = tables
      val statements = section._2
      var i = 0
      while (i < statements.length) {
        try statements(i).run(outside(arguments, oldest), tables, returned)
        catch {
          case e: CsqlRuntimeException => throw e
          case NonFatal(e) => throw SqlTask.failure(program.name, section._1, statements(i).text, e)
        }
        i += 1
      }
    }

    private def oldest: InternalRow = program.window match {
      case None => nothing
      case Some(i) =>
        val first = tables(i).first
        if (first == null) nothing else first.row
    }

    override protected def saveState(to: ByteWriter): Unit = {
      to.putBytes(last.getBytes)
      own.foreach(tables(_).save(to))
    }
    override protected def loadState(from: ByteReader): Unit = {
      val bytes = from.getBytes
      last = new UnsafeRow(program.arguments.length)
      last.pointTo(bytes, bytes.length)
      own.foreach(tables(_).load(from))
    }
  }
}

private[aggregates] object SqlTask {
  def failure(name: String, section: Section, statement: String, cause: Throwable): Throwable = {
    val failed = CsqlErrors.runtime(
      "CSQL_AGGREGATE_FAILED",
      "name" -> name,
      "section" -> section.name,
      "statement" -> statement,
      "cause" -> Option(cause.getMessage).getOrElse(cause.getClass.getName)
    )
    failed.initCause(cause)
    failed
  }
}
