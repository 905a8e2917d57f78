package org.sparkcsql.parse

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Random

import org.antlr.v4.runtime.Token
import org.antlr.v4.runtime.atn._

import org.apache.spark.sql.catalyst.parser.SqlBaseParser

/**
 * Sentences of Spark's own grammar, made by walking the automaton that ANTLR generated from it.
 *
 * At each fork the way taken least often so far is preferred, so that all alternatives of all rules are visited soon;
 * when a sentence has grown too large, the shortest way out is taken. Names are drawn from words that mean something in
 * our language, because those are the ones that could be mistaken.
 */
final class GrammarSentences(seed: Long) {
  private val random = new Random(seed)
  private val atn = SqlBaseParser._ATN
  private val vocabulary = SqlBaseParser.VOCABULARY
  private val visits = mutable.Map.empty[(Int, Int), Int].withDefaultValue(0)

  private val maxDepth = 24
  private val maxTokens = 24

  private def ruleNamed(name: String): Int = SqlBaseParser.ruleNames.indexOf(name)

  /** Names are not interesting to walk through: there are hundreds of keywords that may serve as one. */
  private val nameRules =
    Set("identifier", "simpleIdentifier", "strictIdentifier", "simpleStrictIdentifier").map(ruleNamed)
  private val errorRules = Set("errorCapturingIdentifierExtra").map(ruleNamed)

  private val names = Seq(
    "a",
    "b",
    "c",
    "t",
    "s",
    "x",
    "y",
    "range",
    "rows",
    "now",
    "frequency",
    "slide",
    "stream",
    "istream",
    "rstream",
    "landmark",
    "band",
    "tumble",
    "lag",
    "origin",
    "partition",
    "active",
    "expiration",
    "tuples",
    "minutes",
    "hour",
    "aggregate",
    "continuous",
    "`Range 5 Rows`",
    "`q]`",
    "source",
    "slack",
    "window"
  )

  private val samples: Map[String, Seq[String]] = Map(
    "STRING_LITERAL" -> Seq("'a'", "'[Range 1 Hour]'", "r'x'", "'it''s'"),
    "DOUBLEQUOTED_STRING" -> Seq("\"d\"", "\"[Now]\""),
    "EQ" -> Seq("=", "=="),
    "LTE" -> Seq("<=", "!>"),
    "GTE" -> Seq(">=", "!<"),
    "INTEGER_VALUE" -> Seq("1", "2", "10"),
    "BIGINT_LITERAL" -> Seq("1L"),
    "SMALLINT_LITERAL" -> Seq("1S"),
    "TINYINT_LITERAL" -> Seq("1Y"),
    "DECIMAL_VALUE" -> Seq("1.5"),
    "EXPONENT_VALUE" -> Seq("1e3"),
    "FLOAT_LITERAL" -> Seq("1.5F"),
    "DOUBLE_LITERAL" -> Seq("1.5D"),
    "BIGDECIMAL_LITERAL" -> Seq("1.5BD"),
    "BACKQUOTED_IDENTIFIER" -> Seq("`b q`", "`range`"),
    "BEGIN_DOLLAR_QUOTED_STRING" -> Seq("$$"),
    "DOLLAR_QUOTED_STRING_BODY" -> Seq("yaml"),
    "END_DOLLAR_QUOTED_STRING" -> Seq("$$")
  )

  /** How few tokens it takes from each state to the end of its rule. */
  private val shortest: Array[Int] = {
    val cost = Array.fill(atn.states.size)(Int.MaxValue / 4)
    atn.ruleToStopState.foreach(stop => cost(stop.stateNumber) = 0)
    var changed = true
    while (changed) {
      changed = false
      atn.states.asScala.filter(state => state != null && !state.isInstanceOf[RuleStopState]).foreach {
        state =>
          val best = state.getTransitions.map(way(_, cost)).minOption.getOrElse(Int.MaxValue / 4)
          if (best < cost(state.stateNumber)) {
            cost(state.stateNumber) = best
            changed = true
          }
      }
    }
    cost
  }

  private def way(transition: Transition, cost: Array[Int]): Int = transition match {
    case rule: RuleTransition => cost(rule.target.stateNumber) + cost(rule.followState.stateNumber)
    case other => cost(other.target.stateNumber) + (if (other.isEpsilon) 0 else 1)
  }

  /** The next sentence of a rule. */
  def next(rule: String): String = {
    val words = mutable.ArrayBuffer.empty[String]
    walk(ruleNamed(rule), depth = 0, allowance = 4 + random.nextInt(maxTokens), words)
    words.mkString(" ")
  }

  /** Walks through a rule. Rules inside get a share of the tokens allowed, so that something is left for the rest. */
  private def walk(rule: Int, depth: Int, allowance: Int, words: mutable.ArrayBuffer[String]): Unit =
    if (nameRules(rule)) words += names(random.nextInt(names.size))
    else if (!errorRules(rule)) {
      val end = words.size + allowance
      var state: ATNState = atn.ruleToStartState(rule)
      while (!state.isInstanceOf[RuleStopState])
        choose(state, isFree = depth < maxDepth && words.size < end) match {
          case call: RuleTransition =>
            val left = math.max(0, end - words.size)
            walk(call.target.ruleIndex, depth + 1, if (random.nextBoolean()) left else left / 3, words)
            state = call.followState
          case other =>
            if (!other.isEpsilon) word(other).foreach(words += _)
            state = other.target
        }
    }

  private def choose(state: ATNState, isFree: Boolean): Transition = {
    val transitions = state.getTransitions
    if (transitions.length == 1) transitions.head
    else {
      val index =
        if (!isFree) transitions.indices.minBy(i => way(transitions(i), shortest))
        else if (random.nextInt(5) == 0) random.nextInt(transitions.length)
        else {
          val counts = transitions.indices.map(i => visits((state.stateNumber, i)))
          val rare = transitions.indices.filter(counts(_) == counts.min)
          rare(random.nextInt(rare.size))
        }
      visits((state.stateNumber, index)) += 1
      transitions(index)
    }
  }

  private def word(transition: Transition): Option[String] = transition match {
    case any: WildcardTransition => spell(1 + random.nextInt(any.target.atn.maxTokenType))
    case _ => transition.label.get(random.nextInt(transition.label.size)) match {
        case Token.EOF => None
        case number => spell(number)
      }
  }

  private def spell(number: Int): Option[String] = {
    val symbol = vocabulary.getSymbolicName(number)
    val literal = vocabulary.getLiteralName(number)
    samples.get(symbol).map(options => options(random.nextInt(options.size))).orElse {
      if (symbol == "IDENTIFIER") Some(names(random.nextInt(names.size)))
      else Option(literal).map(_.stripPrefix("'").stripSuffix("'")).orElse(Some(symbol))
    }
  }
}
