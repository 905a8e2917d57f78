package org.sparkcsql.parse

import java.util.{ArrayDeque, Collections, IdentityHashMap => IdentityMap}

import scala.jdk.CollectionConverters._

import org.antlr.v4.runtime.{ParserRuleContext, Token}
import org.antlr.v4.runtime.tree.{ParseTree, TerminalNode}

import org.apache.spark.sql.catalyst.parser.SqlBaseParser._

import org.sparkcsql.errors.CsqlErrors

/**
 * Gives each mark to the node of Spark's parse tree it belongs to, the node that ends just before it, and widens the
 * nodes over their marks, so that texts which Spark cuts out of the tree (views, scripts, cached queries) keep them.
 *
 * Trees of long AND chains are deep, so nothing here is recursive.
 */
private[parse] final class Ownership(text: EditedText) {
  private val brackets = new IdentityMap[Token, Mark]
  private val tails = new IdentityMap[Token, Mark]
  private val operators = new IdentityMap[Token, Mark]
  private val statements = new IdentityMap[Token, Mark]
  private val owned = new IdentityMap[ParserRuleContext, List[Mark]]
  private val claimed = Collections.newSetFromMap(new IdentityMap[Mark, java.lang.Boolean])
  private val used = Collections.newSetFromMap(new IdentityMap[Mark, java.lang.Boolean])

  text.findings.marks.foreach { mark =>
    val places = mark match {
      case _: Mark.Bracket => brackets
      case _: Mark.Tail => tails
      case _: Mark.Operator => operators
      case _: Mark.Statement => statements
    }
    places.put(mark.anchor, mark)
  }

  /** Whether a text has marks within a node. */
  def hasMarksIn(node: ParserRuleContext): Boolean = text.findings.marks.exists(covers(node, _))

  /** Marks of this node, which are from now on part of the plan. */
  def take(node: ParserRuleContext): List[Mark] = {
    val marks = Option(owned.get(node)).getOrElse(Nil)
    marks.foreach(used.add)
    marks
  }

  /**
   * Refuses a mark whose node was not made part of the plan. Around a name that is computed, IDENTIFIER(…), Spark
   * makes some parts of the plan only when the name is known.
   */
  def checkAllUsed(): Unit = if (!hasComputedNames) refuse(mark => !used.contains(mark))

  private var hasComputedNames = false

  def assign(root: ParserRuleContext): Unit = if (text.findings.marks.nonEmpty) {
    val nodes = nodesOf(root)
    nodes.iterator().asScala.foreach(claim)
    refuse(mark => !claimed.contains(mark))
    nodes.descendingIterator().asScala.foreach(widen)
  }

  private def refuse(wrong: Mark => Boolean): Unit =
    text.findings.marks.find(wrong).foreach(Misplaced.refuse(_, text.source))

  /** All nodes, parents before their children. */
  private def nodesOf(root: ParserRuleContext): ArrayDeque[ParserRuleContext] = {
    val nodes = new ArrayDeque[ParserRuleContext]
    val open = new ArrayDeque[ParserRuleContext]
    open.push(root)
    while (!open.isEmpty) {
      val node = open.pop()
      nodes.add(node)
      children(node).foreach { case child: ParserRuleContext => open.push(child); case _ => }
    }
    nodes
  }

  private def children(node: ParseTree): Iterator[ParseTree] =
    if (node == null) Iterator.empty else Iterator.range(0, node.getChildCount).map(node.getChild)

  private def claim(node: ParserRuleContext): Unit = if (node.getStart != null && node.getStop != null)
    node match {
      case relation: RelationPrimaryContext =>
        own(relation, relationSlots(relation).map(brackets.get))
      case select: SelectClauseContext =>
        own(select, selectSlots(select).map(brackets.get))
      case query: QueryContext =>
        own(query, Iterator(operators.get(tokenBefore(query))))
      case window: WindowDefContext if window.windowFrame != null =>
        own(window, Iterator(tails.get(window.windowFrame.getStop)))
      case standIn: ClearCacheContext =>
        own(standIn, Iterator(statements.get(standIn.getStart)))
      case _: CreateUserDefinedFunctionContext | _: DeclareCursorStatementContext =>
        // The body is stored as text and parsed again when it is used.
        useAllIn(node)
      case name: IdentifierReferenceContext => hasComputedNames ||= name.expression != null
      case name: FunctionNameContext => hasComputedNames ||= name.expression != null
      case _ =>
    }

  private def own(node: ParserRuleContext, marks: Iterator[Mark]): Unit = {
    val mine = marks.filter(mark => mark != null && claimed.add(mark)).toList.sortBy(_.first.getStartIndex)
    if (mine.nonEmpty) owned.put(node, mine)
  }

  private def useAllIn(node: ParserRuleContext): Unit =
    text.findings.marks.filter(covers(node, _)).foreach(used.add)

  private def covers(node: ParserRuleContext, mark: Mark): Boolean =
    !isBehind(node.getStart, mark.anchor) && !isBehind(mark.anchor, node.getStop)

  /** Behind the relation, and inside of it behind its name or its parenthesis, before alias, sample and so on. */
  private def relationSlots(relation: RelationPrimaryContext): Iterator[Token] = {
    def ends(node: ParseTree): Iterator[Token] = {
      lazy val lastRow = Iterator.range(node.getChildCount - 1, -1, -1).map(node.getChild).collectFirst {
        case row: ExpressionContext => row
      }
      children(node).flatMap {
        case leaf: TerminalNode => Iterator(leaf.getSymbol).filter(_.getType == TokenTypes.RightParen)
        case _: QueryContext | _: RelationContext => Iterator.empty
        case row: ExpressionContext if !lastRow.exists(_ eq row) => Iterator.empty
        case inner: ParserRuleContext => Iterator(inner.getStop)
        case _ => Iterator.empty
      }
    }
    val only = if (relation.getChildCount == 1) ends(relation.getChild(0)) else Iterator.empty
    (Iterator(relation.getStop) ++ ends(relation) ++ only).filter(_ != null).distinct
  }

  /** Behind SELECT, its hints and DISTINCT, and behind each element, its expression and the comma. */
  private def selectSlots(select: SelectClauseContext): Iterator[Token] = {
    val list = select.namedExpressionSeq
    val elements = list.namedExpression.iterator.asScala
    val ends = children(select).filter(_ ne list) ++ children(list) ++ elements.map(_.expression)
    ends.map {
      case leaf: TerminalNode => leaf.getSymbol
      case node: ParserRuleContext => node.getStop
      case _ => null
    }.filter(_ != null).distinct
  }

  private def tokenBefore(query: QueryContext): Token = query.getParent match {
    case null => null
    case parent =>
      val position = children(parent).indexWhere(_ eq query)
      if (position < 1) null
      else
        parent.getChild(position - 1) match {
          case leaf: TerminalNode => leaf.getSymbol
          case _ => null
        }
  }

  /** Children come before their parents here. */
  private def widen(node: ParserRuleContext): Unit = if (node.start != null && node.stop != null) {
    Option(owned.get(node)).toList.flatten.foreach {
      case _: Mark.Operator =>
      case mark => if (isBehind(mark.last, node.stop)) node.stop = mark.last
    }
    Option(operators.get(node.start)).foreach(mark => node.start = mark.first)
    children(node).foreach {
      case child: ParserRuleContext if child.start != null && child.stop != null && !isEmpty(child) =>
        if (isBehind(child.stop, node.stop)) node.stop = child.stop
        if (isBehind(node.start, child.start)) node.start = child.start
      case _ =>
    }
  }

  private def isBehind(a: Token, b: Token): Boolean = a.getTokenIndex > b.getTokenIndex
  private def isEmpty(node: ParserRuleContext): Boolean = isBehind(node.start, node.stop)
}

/** The refusal of a mark that stands where nothing can use it. */
private[parse] object Misplaced {
  def refuse(mark: Mark, source: SourceText): Nothing = CsqlErrors.syntax(
    "CSQL_CLAUSE_MISPLACED",
    source.origin(mark.first, mark.last),
    "clause" -> source.textOf(mark.first, mark.last),
    "hint" -> hint(mark))

  private def hint(mark: Mark): String = mark match {
    case bracket: Mark.Bracket if bracket.clause.shape.isEmpty && bracket.clause.on.isEmpty =>
      "A Frequency stands once behind a relation in FROM, or once in a SELECT list."
    case _: Mark.Bracket =>
      "A window stands behind a relation or a subquery in FROM, as in FROM s [Range 1 Hour] AS x; each has one pair " +
        "of brackets at most."
    case _: Mark.Tail => "SLIDE and ACTIVE EXPIRATION stand behind the frame inside OVER (…)."
    case mark: Mark.Statement => s"${mark.kind.name} is a statement of its own."
    case _: Mark.Operator => "ISTREAM, DSTREAM and RSTREAM stand around a query or around the SELECT list."
  }
}
