package org.sparkcsql.aggregates

import java.io._

import scala.util.control.NonFatal

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.{DataType, StructType}
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.kernel.{ByteReader, ByteWriter}
import org.sparkcsql.plan.{AggregateBody, AggregateDefinition, Section}

/** Aggregates that are not written in SQL. */
private[aggregates] object ExternalPrograms {
  def of(
      session: SparkSession,
      definition: AggregateDefinition,
      body: AggregateBody.External): AggregateProgram =
    if (body.language == "PYTHON") PythonProgram.of(session, definition, body)
    else {
      val instance = JvmProgram.instance(body.code, body.at)
      new JvmProgram(
        definition.name.parts.last,
        definition.arguments,
        definition.returns,
        instance.isBlocking,
        definition.isWindow,
        body.code)
    }
}

private[aggregates] final class JvmProgram(
    override val name: String,
    arguments: StructType,
    override val returns: DataType,
    override val isBlocking: Boolean,
    override val isWindow: Boolean,
    className: String)
    extends AggregateProgram {
  override def argumentTypes: Seq[DataType] = arguments.map(_.dataType)
  override def identity: String = s"$className ${arguments.sql} ${returns.sql}"
  override def task(partition: Int): AggregateTask = new AggregateTask {
    private val toRow = CatalystTypeConverters.createToScalaConverter(arguments)
    private val toCatalyst = new JvmValues(returns)
    private val codec = new ReturnedCodec(returns)
    override def run(window: Option[LocalTable]): AggregateRun =
      new JvmRun(window, row => toRow(row).asInstanceOf[Row], toCatalyst(_), codec)
  }

  private final class JvmRun(
      window: Option[LocalTable],
      toRow: InternalRow => Row,
      toCatalyst: Any => Any,
      codec: ReturnedCodec)
      extends LocalRun(codec) {
    private var aggregate = JvmProgram.instance(className, Origin())
    private val out = new JvmReturned {
      override def add(value: Any): Unit = returned += toCatalyst(value)
    }
    private val seen = new JvmWindow {
      override def rows: Iterator[Row] = window.iterator.flatMap(_.all.map(row => toRow(row.row)))
      override def oldest: Option[Row] =
        window.flatMap(table => Option(table.first)).map(row => toRow(row.row))
      override def delete(which: Row => Boolean): Unit = window.foreach { table =>
        table.all.filter(row => which(toRow(row.row))).toArray.foreach(table.delete)
      }
    }

    override protected def initialize(arguments: UnsafeRow): Unit =
      guarded(Section.Initialize)(aggregate.initialize(toRow(arguments), seen, out))
    override protected def iterate(arguments: UnsafeRow): Unit =
      guarded(Section.Iterate)(aggregate.iterate(toRow(arguments), seen, out))
    override protected def finish(): Unit = guarded(Section.Terminate)(aggregate.terminate(seen, out))
    override protected def expiring(arguments: UnsafeRow): Unit =
      guarded(Section.Expire)(aggregate.expire(toRow(arguments), seen, out))

    private def guarded(section: Section)(work: => Unit): Unit =
      try work
      catch { case NonFatal(e) => throw SqlTask.failure(name, section, className, e) }

    override protected def saveState(to: ByteWriter): Unit = {
      val bytes = new ByteArrayOutputStream
      val out = new ObjectOutputStream(bytes)
      try out.writeObject(aggregate)
      catch {
        case e: ObjectStreamException =>
          throw CsqlErrors.runtime(
            "CSQL_AGGREGATE_CLASS",
            "class" -> className,
            "reason" -> s"its state cannot be stored (${e.getClass.getSimpleName}: ${e.getMessage})")
      }
      out.close()
      to.putBytes(bytes.toByteArray)
    }

    override protected def loadState(from: ByteReader): Unit = {
      val in = new ObjectInputStream(new ByteArrayInputStream(from.getBytes)) {
        override def resolveClass(of: ObjectStreamClass): Class[_] =
          Class.forName(of.getName, false, aggregate.getClass.getClassLoader)
      }
      aggregate = in.readObject().asInstanceOf[JvmAggregate]
    }
  }
}

private object JvmProgram {
  def instance(className: String, at: Origin): JvmAggregate = {
    def refuse(reason: String): Nothing =
      CsqlErrors.analysis("CSQL_AGGREGATE_CLASS", at, "class" -> className, "reason" -> reason)
    val found =
      try Class.forName(className, true, Thread.currentThread.getContextClassLoader)
      catch { case _: ClassNotFoundException | _: LinkageError => refuse("it is not on the class path") }
    if (!classOf[JvmAggregate].isAssignableFrom(found)) refuse(s"it is no ${classOf[JvmAggregate].getName}")
    try found.getDeclaredConstructor().newInstance().asInstanceOf[JvmAggregate]
    catch {
      case _: ReflectiveOperationException => refuse("it has no constructor without arguments that works")
    }
  }
}
