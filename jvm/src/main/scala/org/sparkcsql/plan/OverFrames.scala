package org.sparkcsql.plan

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Length => _, _}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.trees.{BinaryLike, TreeNodeTag}
import org.apache.spark.sql.types.{DataType, IntegerType}

/** What follows the frame inside OVER (…). */
sealed trait FrameTail
object FrameTail {
  final case class Slide(length: Length) extends FrameTail
  case object ActiveExpiration extends FrameTail
}

/**
 * A frame of ours. Spark's frame classes are sealed and want ORDER BY beside RANGE, so it hides where
 * Spark expects the lower bound of a frame by rows, until the query around it is resolved.
 *
 * @param certain whether it cannot be plain SQL: it has a tail or a bare unit of time. Otherwise the
 *   relation decides, which has to be a stream.
 */
final case class OwnFrame(
    frameType: FrameType,
    lower: Expression,
    upper: Expression,
    tail: Option[FrameTail],
    certain: Boolean)
    extends Expression
    with BinaryLike[Expression]
    with CodegenFallback {
  override def left: Expression = lower
  override def right: Expression = upper
  override def dataType: DataType = IntegerType
  override def nullable: Boolean = false
  // or Spark would not take it for a bound
  override def foldable: Boolean = true
  override def eval(input: InternalRow): Any =
    throw new IllegalStateException("a frame of ours is left in the plan")

  /** The frame as it was written, for Spark. */
  def asWritten: SpecifiedWindowFrame = SpecifiedWindowFrame(frameType, lower, upper)

  override protected def withNewChildrenInternal(newLower: Expression, newUpper: Expression): OwnFrame =
    copy(lower = newLower, upper = newUpper)
}

object OwnFrame {

  /** Marks a frame that somebody has written; Spark fills in others. */
  val Written: TreeNodeTag[Unit] = TreeNodeTag[Unit]("csql.writtenFrame")

  def aside(frame: SpecifiedWindowFrame, tail: Option[FrameTail], certain: Boolean): SpecifiedWindowFrame =
    SpecifiedWindowFrame(
      RowFrame,
      OwnFrame(frame.frameType, frame.lower, frame.upper, tail, certain),
      CurrentRow)
}
