package org.sparkcsql.parse

import java.util.BitSet

/** Whether ROWS or RANGE stands before, inside of the parentheses that are open; otherwise SLIDE and ACTIVE are names. */
private[parse] final class OpenFrames {
  private val begun = new BitSet // by the number of open parentheses
  private var depth = 0

  def next(tokenType: Int, before: Int): Unit =
    if (tokenType == TokenTypes.LeftParen) {
      depth += 1
      begun.clear(depth)
    } else if (tokenType == TokenTypes.RightParen) depth = math.max(0, depth - 1)
    else if (OpenFrames.words.contains(tokenType) && before != TokenTypes.Dot) begun.set(depth)

  def any: Boolean = begun.get(depth)
}

private object OpenFrames {
  private val words = TokenTypes.setOf("ROWS RANGE")
}
