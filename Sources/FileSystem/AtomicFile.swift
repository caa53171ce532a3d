package import Glibc
import Synchronization

/// Writes a file under a temporary name in the same directory, and renames it when it is complete, so that
/// other programs see either the old file or the complete new one.
///
/// A symbolic link at the path is replaced, not followed. A device, pipe or socket is never replaced, which
/// could otherwise happen to root by mistake.
package final class AtomicFile: Sendable {
  package enum WriteError: Error {
    /// The path is a device, a pipe or a socket.
    case notRegular
    case system(errno: Int32)
  }

  package let descriptor: Int32
  private let path: String
  private let temporaryPath: String
  private let isCommitted = Mutex(false)

  /// - Parameters:
  ///   - temporaryPath: A path in the same directory that does not exist.
  ///   - mode: The permissions, regardless of the umask and of the file being replaced.
  package init(_ path: String, temporaryPath: String, mode: mode_t = 0o600) throws(WriteError) {
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw status.st_mode & S_IFMT == S_IFDIR ? .system(errno: EISDIR) : .notRegular
    }
    let descriptor = open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .system(errno: errno) }
    guard fchmod(descriptor, mode) == 0 else {
      let reason = errno
      close(descriptor)
      unlink(temporaryPath)
      throw .system(errno: reason)
    }
    (self.path, self.temporaryPath, self.descriptor) = (path, temporaryPath, descriptor)
  }

  deinit {
    close(descriptor)
    if !isCommitted.withLock(\.self) { unlink(temporaryPath) }
  }

  /// Renames the file to its final name. Call it once, after everything is written.
  /// - Parameter isDurable: Whether to call fsync, so that the file survives a power failure.
  package func commit(isDurable: Bool) throws(WriteError) {
    guard !isDurable || fsync(descriptor) == 0, rename(temporaryPath, path) == 0 else {
      throw .system(errno: errno)
    }
    isCommitted.withLock { $0 = true }
    if isDurable { Self.syncFolder(of: path) }
  }

  /// Calls fsync for the directory, so that the new name survives a power failure. Some file systems do not
  /// support this, so errors are ignored.
  private static func syncFolder(of path: String) {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}
