package org.sparkcsql.serve

import org.apache.spark.sql.classic.SparkSession
import org.sparkcsql.queries.QueryRegistry

/**
 * Starts one of Spark's own servers, and before it, if asked, the continuous queries of the last application.
 * So whoever reaches the server finds them running.
 *
 * It ends when its standard input does: the process that started it holds the other end, and a server must not
 * be left behind by a starter that was killed.
 */
object Server {
  val Resume = "--resume"

  /** @param args the class of the server, then perhaps --resume */
  def main(args: Array[String]): Unit = {
    val starter = new Thread(() => awaitEndOfInput(), "csql-starter")
    starter.setDaemon(true)
    starter.start()
    val session = SparkSession.builder().getOrCreate()
    session.sql("SELECT csql_version()").collect() // fails at once if the extension is not there
    if (args.contains(Resume)) resume(session)
    // The server finds the session that is there. Its main returns, or runs as long as the server does.
    Class.forName(args.head).getMethod("main", classOf[Array[String]]).invoke(null, Array.empty[String])
    starter.join()
  }

  private def resume(session: SparkSession): Unit =
    QueryRegistry.of(session).resumeInterrupted().foreach {
      case (name, None) => System.err.println(s"spark-csql: the continuous query $name was resumed")
      case (name, Some(error)) =>
        System.err.println(s"spark-csql: the continuous query $name was not resumed: ${error.getMessage}")
    }

  private def awaitEndOfInput(): Unit = {
    while (System.in.read() >= 0) {}
    try QueryRegistry.interruptAll()
    finally System.exit(0)
  }
}
