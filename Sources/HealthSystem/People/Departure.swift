import Glibc
import HealthKit
import Synchronization

/// A lock that is held while a person is renamed or removed. No gateway may use the person's monitors during
/// that time.
///
/// It is a file lock (flock) on a file beside the person's directory. The kernel releases it if the program
/// is killed.
final class Departure: Sendable {
  private let path: String
  private let descriptor: Mutex<Int32>

  /// Acquires the lock.
  /// - Throws: `PersonFault`; `inUse` if another program holds the lock.
  init(of person: PersonName, in folder: PeopleFolder) throws(PersonFault) {
    path = Self.path(of: person, in: folder)
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .file(operation: "create", path: path, errno: errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let reason = errno
      close(descriptor)
      guard reason == EWOULDBLOCK else { throw .file(operation: "lock", path: path, errno: reason) }
      throw .inUse(person, "another command is renaming or removing them; try again when it has ended")
    }
    self.descriptor = Mutex(descriptor)
  }

  deinit { end() }

  func end() {
    descriptor.withLock { descriptor in
      guard descriptor >= 0 else { return }
      unlink(path)
      close(descriptor)
      descriptor = -1
    }
  }

  static func isUnderWay(of person: PersonName, in folder: PeopleFolder) -> Bool {
    let descriptor = open(path(of: person, in: folder), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_SH | LOCK_NB) != 0
  }

  private static func path(of person: PersonName, in folder: PeopleFolder) -> String {
    "\(folder.path)/.\(person.text).leaving"
  }
}
