package org.sparkcsql.parse

import org.antlr.v4.runtime.Token

import org.sparkcsql.plan.{FrameTail, StreamOperator, WindowClause}

/** Something of ours in the text: the tokens `first` to `last`, which Spark's parser does not see. */
private[parse] sealed trait Mark {
  def first: Token
  def last: Token

  /** The visible token by which the mark finds its place in the tree. */
  def anchor: Token
}

private[parse] object Mark {

  /** `[…]` behind the token `anchor`. */
  final case class Bracket(clause: WindowClause, anchor: Token, first: Token, last: Token) extends Mark

  /** `SLIDE …` or `ACTIVE EXPIRATION` behind a frame that ends with `anchor`. */
  final case class Tail(tail: FrameTail, anchor: Token, first: Token, last: Token) extends Mark

  /** ISTREAM, DSTREAM or RSTREAM before the parenthesis `anchor` around a query. */
  final case class Operator(operator: StreamOperator, anchor: Token, first: Token) extends Mark {
    override def last: Token = first
  }

  /** A whole statement of ours; Spark sees two words in its place. */
  final case class Statement(kind: StatementKind, statement: ParsedStatement, first: Token, last: Token)
      extends Mark {
    override def anchor: Token = first
  }
}
