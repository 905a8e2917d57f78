package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.expressions.NamedExpression
import org.apache.spark.sql.catalyst.optimizer.CollapseProject
import org.apache.spark.sql.catalyst.plans.logical.{Distinct, LogicalPlan, Project}

/**
 * SELECT DISTINCT compares the rows of one list. Spark may compute columns before it: those of JOIN … USING, aliases that
 * the list itself uses, arguments of functions. They make the tuples, so they belong to FROM.
 */
private[analyze] object DistinctList {

  /** What stands above a FROM clause, with one list below DISTINCT, and FROM with the lists below that one. */
  def apart(above: Seq[LogicalPlan], from: LogicalPlan): (Seq[LogicalPlan], LogicalPlan) = {
    val (rest, lists) = above.splitAt(above.lastIndexWhere(!_.isInstanceOf[Project]) + 1)
    (rest.lastOption, lists.headOption) match {
      case (Some(_: Distinct), Some(top: Project)) =>
        val list = withTimes(top)
        (rest :+ list, list.child)
      case _ => (above, from)
    }
  }

  /** The time of the answer is not known in FROM: an alias for it is replaced by what it stands for. */
  private def withTimes(top: Project): Project = top.child match {
    case project: Project =>
      val below = withTimes(project)
      if (below.projectList.exists(asksTime) && below.projectList.forall(_.deterministic))
        Project(CollapseProject.buildCleanedProjectList(top.projectList, below.projectList), below.child)
      else top
    case _ => top
  }

  private def asksTime(item: NamedExpression): Boolean = item.exists(_.isInstanceOf[EvaluationTime])
}
