package import Glibc
import Synchronization

/// A file that gets its name when it is complete: readers of the name see either what was there before or all
/// of the new file. Until then it has a temporary name in the same folder.
///
/// Links of either name are not followed. Only regular files are replaced: root could replace a device.
package final class AtomicFile: Sendable {
  package enum WriteError: Error {
    /// A device, a pipe or a socket has the name.
    case notRegular
    case system(errno: Int32)
  }

  package let descriptor: Int32
  private let path: String
  private let temporaryPath: String
  private let isCommitted = Mutex(false)

  /// - Parameters:
  ///   - temporaryPath: In the same folder. Nothing may have that name.
  ///   - mode: The permissions, whatever the umask and the replaced file.
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

  /// Gives the file its name. To be called once, when all is written.
  /// - Parameter isDurable: Whether it must survive a power failure from now on.
  package func commit(isDurable: Bool) throws(WriteError) {
    guard !isDurable || fsync(descriptor) == 0, rename(temporaryPath, path) == 0 else {
      throw .system(errno: errno)
    }
    isCommitted.withLock { $0 = true }
    if isDurable { Self.syncFolder(of: path) }
  }

  /// Makes the new name durable. Some file systems cannot do that.
  private static func syncFolder(of path: String) {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}
