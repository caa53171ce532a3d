import FileSystem
import HealthKit

/// A file lock on a person who is being renamed or removed. While it is held, no gateway uses the person's
/// monitors. If the program is killed, the kernel releases the lock, but the file remains.
enum PersonLock {
  /// Locks a person.
  /// - Throws: `PersonError`: `inUse` if another program has the lock.
  static func lock(_ person: PersonName, in folder: PeopleFolder) throws(PersonError) -> FileLock {
    let path = path(of: person, in: folder)
    do throws(FileLock.LockError) {
      // Wait up to 20 ms, because a program that only checks the lock also holds it for a moment.
      return try FileLock(temporaryFile: path, timeout: 20_000)
    } catch {
      switch error {
      case .taken:
        throw .inUse(
          person, "another command is renaming or removing this person; try again after it has ended")
      case .system(let operation, let reason): throw .file(operation: operation, path: path, errno: reason)
      }
    }
  }

  static func isUnderWay(of person: PersonName, in folder: PeopleFolder) -> Bool {
    FileLock.isTaken(path(of: person, in: folder)) == true
  }

  private static func path(of person: PersonName, in folder: PeopleFolder) -> String {
    "\(folder.path)/.\(person.text).leaving"
  }
}
