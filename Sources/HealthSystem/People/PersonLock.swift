import FileSystem
import HealthKit

/// The lock on a person who is being renamed or removed. No gateway uses their monitors during that time. If
/// the program is killed, the kernel releases the lock and the file stays.
enum PersonLock {
  /// - Throws: `PersonError`, `inUse` if another program has the lock.
  static func lock(_ person: PersonName, in folder: PeopleFolder) throws(PersonError) -> FileLock {
    let path = path(of: person, in: folder)
    do throws(FileLock.LockError) {
      // A program that looks has the lock for an instant.
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
