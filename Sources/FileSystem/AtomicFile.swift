package import Glibc
import Synchronization

/// A file that gets its name only when it is complete. Readers of the name see either the old file or the
/// complete new one. Until then it has a temporary name in the same directory.
///
/// Symbolic links are not followed. Only regular files are replaced, because root could replace a device.
package final class AtomicFile: Sendable {
  package enum WriteError: Error {
    /// The name belongs to a device, a pipe or a socket.
    case notRegular
    case system(errno: Int32)
  }

  package let descriptor: Int32
  private let path: String
  private let temporaryPath: String
  private let isCommitted = Mutex(false)

  /// - Parameters:
  ///   - temporaryPath: A path in the same directory that does not exist.
  ///   - mode: The permissions, independent of the umask and of the replaced file.
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

  /// Renames the file to its final name. Must be called once, after everything is written.
  /// - Parameter isDurable: Whether the file must survive a power failure.
  package func commit(isDurable: Bool) throws(WriteError) {
    guard !isDurable || fsync(descriptor) == 0, rename(temporaryPath, path) == 0 else {
      throw .system(errno: errno)
    }
    isCommitted.withLock { $0 = true }
    if isDurable { Self.syncFolder(of: path) }
  }

  /// Makes the new name durable. Some file systems do not support it.
  private static func syncFolder(of path: String) {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}
