package org.sparkcsql

import java.net.URI
import java.nio.file.Files
import java.nio.file.attribute.PosixFilePermissions

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs._
import org.apache.hadoop.fs.local.LocalConfigKeys
import org.apache.hadoop.fs.permission.FsPermission

/**
 * Local files for tests and benchmarks. Hadoop without its native library starts a process for each file that it
 * creates or renames (`chmod`, `readlink`): a dozen or more for each micro-batch of a handful of rows.
 */
final class QuickLocalFileSystem extends LocalFileSystem(new QuickRawFileSystem)

/** The same for Hadoop's other interface, through which checkpoints are written. */
final class QuickLocalFs(uri: URI, conf: Configuration) extends ChecksumFs(new QuickRawFs(uri, conf))

private final class QuickRawFileSystem extends RawLocalFileSystem {

  override def setPermission(path: Path, permission: FsPermission): Unit = {
    // The sticky bit has no name in Java; no test needs it.
    val letters = permission.toString.take(9).replace('t', 'x').replace('T', '-')
    Files.setPosixFilePermissions(pathToFile(path).toPath, PosixFilePermissions.fromString(letters))
  }

  // No test links files.
  override def getFileLinkStatus(path: Path): FileStatus = getFileStatus(path)
}

private final class QuickRawFs(uri: URI, conf: Configuration)
    extends DelegateToFileSystem(
      uri,
      new QuickRawFileSystem,
      conf,
      FsConstants.LOCAL_FS_URI.getScheme,
      false) {

  override def getUriDefaultPort: Int = -1

  override def getServerDefaults(path: Path): FsServerDefaults = LocalConfigKeys.getServerDefaults

  override def isValidName(source: String): Boolean = true
}
