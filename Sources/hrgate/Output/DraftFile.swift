import Glibc
import Synchronization

/// A file that is under its name only when it is whole: until then it is written under another.
///
/// Whoever reads the name reads what was there before, or what is there now. A link of either name is not
/// followed. No device, pipe or socket is replaced: as root, it would be gone.
final class DraftFile: Sendable {
  /// Who may read it, whatever the umask and whatever was there.
  enum Readers {
    case owner
    case group

    fileprivate var mode: mode_t { self == .owner ? 0o600 : 0o640 }
  }

  private let path: String
  private let draft: String
  private let descriptor: Int32
  private let isInPlace = Mutex(false)

  /// - Parameter draft: The name until it is whole, in the same folder.
  /// - Throws: ``Failure`` where no file can be made there, or there is one of the draft's name.
  init(of path: String, until draft: String, for readers: Readers) throws {
    self.path = path
    self.draft = draft
    var status = stat()
    if stat(path, &status) == 0, ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) {
      throw Failure("\(path) is no regular file: name one, or a place where there is none yet")
    }
    descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.fault(path) }
    guard fchmod(descriptor, readers.mode) == 0 else { throw Self.fault(path) }
  }

  deinit {
    // One that could not be made is another's.
    guard descriptor >= 0 else { return }
    close(descriptor)
    if !isInPlace.withLock(\.self) { unlink(draft) }
  }

  /// - Throws: ``Failure`` with the path and the reason.
  func write(_ bytes: [UInt8]) throws {
    try writeAll(bytes, to: descriptor, named: "\(path) cannot be written")
  }

  /// To be called when all is written: the file has its name from then on.
  ///
  /// - Parameter isKept: Whether it is to outlive a power cut from now on.
  /// - Throws: ``Failure``.
  func takePlace(isKept: Bool) throws {
    guard !isKept || fsync(descriptor) == 0, rename(draft, path) == 0 else { throw Self.fault(path) }
    isInPlace.withLock { $0 = true }
  }

  private static func fault(_ path: String) -> Failure {
    Failure("\(path) cannot be written: \(String(cString: strerror(errno)))")
  }
}
