package org.sparkcsql.storage

import org.apache.hadoop.fs.FileAlreadyExistsException
import org.scalatest.funsuite.AnyFunSuite
import org.sparkcsql.SharedSession
import org.sparkcsql.errors.CsqlAnalysisException

class WarehouseFolderSuite extends AnyFunSuite {
  test("file names are safe and tell names apart") {
    val names = Seq("a", "A", "a.b", "a/b", "..", ".", "", "a b", "ö", "x" * 1000, "x" * 1001)
    val files = names.map(WarehouseFolder.fileName)
    assert(files.distinct.size == names.size)
    assert(files.forall(_.matches("[A-Za-z0-9_]{0,60}-[0-9a-f]{16}")))
  }

  test("a reader sees a whole file while it is replaced") {
    val folder = new WarehouseFolder(SharedSession.spark, "test-replaced")
    val texts = Seq("a" * 5000, "b" * 3000)
    folder.write("f", texts.head, replace = true)
    val writer = new Thread(() => (1 to 200).foreach(i => folder.write("f", texts(i % 2), replace = true)))
    writer.start()
    while (writer.isAlive) assert(folder.read("f").exists(texts.contains))
    writer.join()
    assert(folder.names("f") == Seq("f"))
    folder.delete("f")
    assert(folder.read("f").isEmpty && folder.names("f").isEmpty)
  }

  test("what must not be replaced is not") {
    val folder = new WarehouseFolder(SharedSession.spark, "test-kept")
    folder.write("f", "first", replace = false)
    intercept[FileAlreadyExistsException](folder.write("f", "second", replace = false))
    assert(folder.read("f").contains("first"))
  }

  test("a damaged definition is told by name and keeps no other one from being read") {
    val folder = new WarehouseFolder(SharedSession.spark, "test-damaged")
    Seq("a.n" -> "1", "b.n" -> "one", "c.n" -> "3").foreach { case (name, text) =>
      folder.write(name, text, replace = true)
    }
    assert(folder.definitions(".n")(_.toInt) == Seq(1, 3))
    assert(folder.definition("a.n")(_.toInt).contains(1) && folder.definition("d.n")(_.toInt).isEmpty)
    val error = intercept[CsqlAnalysisException](folder.definition("b.n")(_.toInt))
    assert(error.getCondition == "CSQL_DEFINITION_DAMAGED" && error.getMessage.contains("b.n"))
  }
}
