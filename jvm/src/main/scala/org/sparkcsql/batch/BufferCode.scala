package org.sparkcsql.batch

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen._
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.internal.SQLConf

/** How rows are added to aggregation buffers, and how these are merged. */
abstract class BufferCode {
  def add(buffer: InternalRow, row: InternalRow): Unit
  def merge(older: InternalRow, newer: InternalRow): Unit
}

/** By Spark's projections. `merging` is asked for only if something is merged: not every function can be. */
private[batch] final class ProjectedBuffers(
    buffer: Seq[Attribute],
    otherBuffer: Seq[Attribute],
    input: Seq[Attribute],
    updating: Seq[Expression],
    merging: => Seq[Expression])
    extends BufferCode {
  private val update = MutableProjection.create(updating, buffer ++ input)
  private lazy val combine = MutableProjection.create(merging, buffer ++ otherBuffer)
  private val joined = new JoinedRow

  override def add(buffer: InternalRow, row: InternalRow): Unit = update.target(buffer)(joined(buffer, row))
  override def merge(older: InternalRow, newer: InternalRow): Unit =
    combine.target(older)(joined(older, newer))
}

/**
 * For flat buffers. Spark's projections read a buffer and a row through one joined row, field by field. This
 * code, generated from the same expressions, knows which of the two a field is in, and holds fields in variables.
 */
private[batch] object BufferCode {

  /** Characters of code. What the compiler needs for one method grows with the square of its variables. */
  private val Longest = 1 << 16

  /** Nothing for what generated code cannot do, or only in methods that are too long to be compiled well. */
  def apply(
      buffer: Seq[Attribute],
      otherBuffer: Seq[Attribute],
      input: Seq[Attribute],
      updating: Seq[Expression],
      merging: Seq[Expression]): Option[BufferCode] =
    if (SQLConf.get.wholeStageEnabled && (updating ++ merging).forall(isGenerated))
      try generate(buffer, otherBuffer, input, updating, merging)
      catch { case NonFatal(_) => None } // projections then say what is wrong, or do without generated code
    else None

  private def isGenerated(expression: Expression): Boolean = !expression.exists {
    case _: LeafExpression => false
    case part => part.isInstanceOf[CodegenFallback]
  }

  private def generate(
      buffer: Seq[Attribute],
      otherBuffer: Seq[Attribute],
      input: Seq[Attribute],
      updating: Seq[Expression],
      merging: Seq[Expression]): Option[BufferCode] = {
    val context = new CodegenContext
    val add = method(context, "row", input, Seq("buffer" -> buffer), updating)
    val merge = method(context, null, Nil, Seq("older" -> buffer, "newer" -> otherBuffer), merging)
    val name = classOf[BufferCode].getName
    val code = CodeFormatter.stripOverlappingComments(new CodeAndComment(
      s"""
         |public java.lang.Object generate(Object[] references) { return new SpecificBufferCode(references); }
         |
         |class SpecificBufferCode extends $name {
         |  private Object[] references;
         |  ${context.declareMutableStates()}
         |
         |  public SpecificBufferCode(Object[] references) {
         |    this.references = references;
         |    ${context.initMutableStates()}
         |  }
         |
         |  public void add(InternalRow to, InternalRow row) {
         |    UnsafeRow buffer = (UnsafeRow) to;
         |    $add
         |  }
         |
         |  public void merge(InternalRow to, InternalRow from) {
         |    UnsafeRow older = (UnsafeRow) to;
         |    UnsafeRow newer = (UnsafeRow) from;
         |    $merge
         |  }
         |
         |  ${context.declareAddedFunctions()}
         |}
       """.stripMargin,
      context.getPlaceHolderToComments()
    ))
    if (code.body.length > Longest) None
    else {
      val (generated, sizes) = CodeGenerator.compile(code)
      if (sizes.maxMethodCodeSize > CodeGenerator.DEFAULT_JVM_HUGE_METHOD_LIMIT) None
      else Some(generated.generate(context.references.toArray).asInstanceOf[BufferCode])
    }
  }

  /** Computes all values from the row and the buffers, then writes them into the first buffer. */
  private def method(
      context: CodegenContext,
      row: String,
      input: Seq[Attribute],
      buffers: Seq[(String, Seq[Attribute])],
      values: Seq[Expression]): String = {
    val fields = buffers.flatMap { case (name, attributes) =>
      attributes.zipWithIndex.map { case (attribute, i) => field(context, name, attribute, i) }
    }
    context.INPUT_ROW = row
    context.currentVars = input.map(_ => null) ++ fields.map(_.copy(code = EmptyBlock))
    val bound = BindReferences.bindReferences(values, AttributeSeq(input ++ buffers.flatMap(_._2)))
    val computed = context.generateExpressions(bound)
    val writes = computed.zip(bound).zipWithIndex.map { case ((value, expression), i) =>
      CodeGenerator.updateColumn(buffers.head._1, expression.dataType, i, value, expression.nullable)
    }
    (fields.map(_.code.toString) ++ computed.map(_.code.toString) ++ writes).mkString("\n")
  }

  private def field(context: CodegenContext, row: String, attribute: Attribute, at: Int): ExprCode = {
    val javaType = CodeGenerator.javaType(attribute.dataType)
    val read = CodeGenerator.getValue(row, attribute.dataType, at.toString)
    val value = context.freshName("field")
    if (attribute.nullable) {
      val isNull = context.freshName("isNull")
      val missing = CodeGenerator.defaultValue(attribute.dataType)
      ExprCode(
        code"""
              |boolean $isNull = $row.isNullAt($at);
              |$javaType $value = $isNull ? $missing : ($read);
            """.stripMargin,
        JavaCode.isNullVariable(isNull),
        JavaCode.variable(value, attribute.dataType)
      )
    } else
      ExprCode(code"$javaType $value = $read;", FalseLiteral, JavaCode.variable(value, attribute.dataType))
  }
}
