package org.sparkcsql.queries

import org.scalatest.funsuite.AnyFunSuite
import org.sparkcsql.SharedSession
import org.sparkcsql.storage.WarehouseFolder

class QueryLockSuite extends AnyFunSuite {
  private lazy val folder = new WarehouseFolder(SharedSession.spark, "test-locks")
  private def lock(file: String) = new QueryLock(folder, file, SharedSession.spark)

  test("a lock that is renewed is not taken over; one that is released is free") {
    val (mine, other) = (lock("a"), lock("a"))
    assert(mine.acquire().isEmpty)
    @volatile var done = false
    val beating = new Thread(() => while (!done) { assert(mine.beat()); Thread.sleep(100) })
    beating.start()
    try assert(other.acquire().exists(_.startsWith(SharedSession.spark.sparkContext.applicationId)))
    finally {
      done = true
      beating.join()
    }
    other.release() // not its own: nothing happens
    assert(mine.beat() && mine.seemsHeld)
    mine.release()
    assert(other.acquire().isEmpty && !mine.beat())
    other.release()
  }

  test("a lock whose owner is gone is taken over, and the owner learns of it") {
    val (gone, next) = (lock("b"), lock("b"))
    assert(gone.acquire().isEmpty)
    assert(next.acquire().isEmpty)
    assert(!gone.beat() && next.beat())
    next.release()
  }
}
