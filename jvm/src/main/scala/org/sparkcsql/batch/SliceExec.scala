package org.sparkcsql.batch

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen._
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.{BinaryExecNode, CodegenSupport, SparkPlan}
import org.sparkcsql.kernel.{Edges, Instants}

/** Gives each row the end of its slice, and drops rows that no window holds. */
final case class SliceExec(
    place: Attribute,
    at: Attribute,
    lag: Long,
    length: Long,
    end: Attribute,
    left: SparkPlan,
    right: SparkPlan)
    extends BinaryExecNode
    with CodegenSupport {
  override def output: Seq[Attribute] = left.output :+ end
  override def producedAttributes: AttributeSet = AttributeSet(end)
  override def outputPartitioning: Partitioning = left.outputPartitioning
  override def outputOrdering: Seq[SortOrder] = left.outputOrdering
  override def requiredChildDistribution: Seq[Distribution] =
    Seq(UnspecifiedDistribution, BroadcastDistribution(IdentityBroadcastMode))

  override protected def doExecute(): RDD[InternalRow] = {
    val (columns, withEnd) = (left.output, output)
    val placeOrdinal = Ordinals.of(Some(place), left.output)
    val shared = slices
    left.execute().mapPartitions { rows =>
      val edges = shared.edges()
      val project = UnsafeProjection.create(withEnd, columns :+ withEnd.last)
      val joined = new JoinedRow
      val endRow = new SpecificInternalRow(Seq(withEnd.last.dataType))
      val seen = rows.filter { row =>
        endRow.setLong(0, edges.endOf(row.getLong(placeOrdinal)))
        endRow.getLong(0) != Edges.Unseen
      }
      seen.map(row => project(joined(row, endRow)))
    }
  }

  private def slices: Slicing =
    new Slicing(right.executeBroadcast(), Ordinals.of(Some(at), right.output), lag, length)

  private def rows: CodegenSupport = left.asInstanceOf[CodegenSupport]

  override def inputRDDs(): Seq[RDD[InternalRow]] = rows.inputRDDs()
  // Spark knows it for operators with one child only
  override def needCopyResult: Boolean = rows.needCopyResult
  override protected def doProduce(context: CodegenContext): String = rows.produce(context, this)

  override def doConsume(context: CodegenContext, input: Seq[ExprCode], row: ExprCode): String = {
    val shared = context.addReferenceObj("slices", slices)
    val edges = context.addMutableState(
      classOf[Edges].getName,
      "edges",
      v => s"$v = $shared.edges();",
      forceInline = true)
    val found = context.freshName("end")
    val value = ExprCode(FalseLiteral, JavaCode.variable(found, end.dataType))
    s"""
       |long $found = $edges.endOf(${input(left.output.indexWhere(_.exprId == place.exprId)).value});
       |if ($found != ${Edges.Unseen}L) {
       |  ${consume(context, input :+ value)}
       |}
     """.stripMargin
  }

  override protected def withNewChildrenInternal(newLeft: SparkPlan, newRight: SparkPlan): SliceExec =
    copy(left = newLeft, right = newRight)
}

/** The windows of all points, found in each task once. */
final class Slicing(points: Broadcast[Array[InternalRow]], at: Int, lag: Long, length: Long)
    extends Serializable {
  def edges(): Edges = {
    val highs = points.value.map(point => Instants.minus(point.getLong(at), lag))
    java.util.Arrays.sort(highs)
    new Edges(highs.map(Instants.minus(_, length)), highs)
  }
}
