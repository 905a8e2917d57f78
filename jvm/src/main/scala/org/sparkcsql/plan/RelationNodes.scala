package org.sparkcsql.plan

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{BinaryNode, LogicalPlan}
import org.apache.spark.sql.types.DataType
import org.sparkcsql.kernel.changes.{BagKind, ExistenceKind, ItemPace, JoinKind}

/** Which tuples the window of an item holds, in numbers. */
sealed trait ItemExtent extends Product with Serializable
object ItemExtent {
  final case class Time(length: Long, lag: Long) extends ItemExtent

  /** @param partitionBy places of the columns that the substreams are told by, among those of the item */
  final case class Tuples(count: Long, lag: Long, partitionBy: Seq[Int]) extends ItemExtent
  final case class Band(from: Long, until: Long) extends ItemExtent
}

/**
 * A windowed stream of a query.
 *
 * @param slots where its columns lie in the rows that reach the operator
 * @param evaluates whether what happens here makes the query answer
 */
final case class RelationInput(extent: ItemExtent, pace: ItemPace, slots: Seq[Int], evaluates: Boolean)

/**
 * An operator on relations that change. Expressions are told by their number in the node that holds
 * the tree, and refer to columns by place, so that nothing that Spark does to columns concerns them.
 */
sealed trait RelationTree extends Product with Serializable {
  def types: Seq[DataType]
  def children: Seq[RelationTree] = productIterator.collect { case child: RelationTree => child }.toSeq

  def mapChildren(change: RelationTree => RelationTree): RelationTree = this match {
    case leaf @ (_: RelationTree.Stream | _: RelationTree.Table) => leaf
    case s: RelationTree.Select => s.copy(child = change(s.child))
    case c: RelationTree.Compute => c.copy(child = change(c.child))
    case e: RelationTree.Expand => e.copy(child = change(e.child))
    case j: RelationTree.Join => j.copy(left = change(j.left), right = change(j.right))
    case v: RelationTree.Value => v.copy(left = change(v.left), right = change(v.right))
    case e: RelationTree.Exists => e.copy(left = change(e.left), right = change(e.right))
    case g: RelationTree.Group => g.copy(child = change(g.child))
    case d: RelationTree.Distinct => d.copy(child = change(d.child))
    case b: RelationTree.Bag => b.copy(left = change(b.left), right = change(b.right))
    case t: RelationTree.Top => t.copy(child = change(t.child))
  }
}
object RelationTree {
  final case class Stream(input: Int, types: Seq[DataType]) extends RelationTree
  final case class Table(table: Int, types: Seq[DataType]) extends RelationTree
  final case class Select(condition: Int, child: RelationTree) extends RelationTree {
    override def types: Seq[DataType] = child.types
  }
  final case class Compute(list: Seq[Int], types: Seq[DataType], child: RelationTree) extends RelationTree

  /** One row of each of several lists for a row. */
  final case class Expand(lists: Seq[Seq[Int]], types: Seq[DataType], child: RelationTree)
      extends RelationTree

  /**
   * @param nullSafe for each pair of keys, whether NULL equals NULL
   * @param unknown a pair, instead of keys, that is not unequal if one of the two is NULL: NOT IN
   */
  final case class On(
      left: Seq[Int],
      right: Seq[Int],
      nullSafe: Seq[Boolean],
      unknown: Option[(Int, Int)],
      condition: Option[Int])
  final case class Join(kind: JoinKind, on: On, left: RelationTree, right: RelationTree)
      extends RelationTree {
    override def types: Seq[DataType] = left.types ++ right.types
  }

  /** The one right row, or none, beside each left row. */
  final case class Value(on: On, left: RelationTree, right: RelationTree) extends RelationTree {
    override def types: Seq[DataType] = left.types ++ right.types
  }
  final case class Exists(
      kind: ExistenceKind,
      on: On,
      types: Seq[DataType],
      left: RelationTree,
      right: RelationTree)
      extends RelationTree

  /** Rows of keys and values; without keys there is always one. */
  final case class Group(keys: Seq[Int], functions: Seq[Int], types: Seq[DataType], child: RelationTree)
      extends RelationTree
  final case class Distinct(child: RelationTree) extends RelationTree {
    override def types: Seq[DataType] = child.types
  }
  final case class Bag(kind: BagKind, left: RelationTree, right: RelationTree) extends RelationTree {
    override def types: Seq[DataType] = left.types
  }
  final case class Top(order: Seq[Int], limit: Int, offset: Int, child: RelationTree) extends RelationTree {
    override def types: Seq[DataType] = child.types
  }
}

/** What a query tells of its relation, and when. */
sealed trait Emission extends Product with Serializable {

  /** Whether at each instant at which a window has changed; otherwise at arrivals and jumps. */
  def onInstants: Boolean
}
object Emission {

  /** The rows that were not there at the last evaluation, or the groups that got such rows. */
  case object New extends Emission {
    override def onInstants: Boolean = false
  }

  /** The groups, each standing for equal rows, that had no row at the last evaluation. */
  case object Distinct extends Emission {
    override def onInstants: Boolean = false
  }

  /** All rows at each evaluation. */
  case object All extends Emission {
    override def onInstants: Boolean = false
  }

  /** @param compared how many of the first columns tell rows apart */
  final case class Operator(operator: StreamOperator, compared: Int) extends Emission {
    override def onInstants: Boolean = true
  }
}

/** The inputs by their number among the streams that are merged, the tree over them and what it tells. */
final case class RelationQuery(inputs: Seq[RelationInput], tree: RelationTree, emission: Emission)

/**
 * A query over windowed streams as relations that change. The left side are the rows of all streams,
 * the right side those of all tables; each row tells by a number which one it comes from.
 *
 * @param key the columns by which rows come to tasks; none: one task has them all
 * @param tag the number of a row's stream, which is the first thing that orders tuples of equal time
 * @param slots the columns of the streams, shared between them
 * @param tableSlots the columns of the tables
 * @param expressions those of the tree
 * @param values the columns of its rows
 * @param added the order of the answer: time, then what its division says of a row's place
 */
final case class RelationWindow(
    query: RelationQuery,
    clock: StreamClock,
    division: Division,
    key: Seq[Attribute],
    time: Option[Attribute],
    tag: Attribute,
    ties: Seq[Attribute],
    batch: Option[Attribute],
    slots: Seq[Attribute],
    tableTag: Attribute,
    tableSlots: Seq[Attribute],
    tableColumns: Seq[Seq[Int]],
    treeExpressions: Seq[Expression],
    values: Seq[Attribute],
    added: Seq[Attribute],
    described: String,
    left: LogicalPlan,
    right: LogicalPlan)
    extends BinaryNode {
  override def output: Seq[Attribute] = values ++ added
  override def producedAttributes: AttributeSet = AttributeSet(values ++ added)
  def divided: String = division.text(key)
  override def simpleString(maxFields: Int): String = s"RelationWindow $described, $divided"
  // the state holds these rows
  override lazy val references: AttributeSet = left.outputSet ++ right.outputSet
  override protected def withNewChildrenInternal(
      newLeft: LogicalPlan,
      newRight: LogicalPlan): RelationWindow =
    copy(left = newLeft, right = newRight)
}
