import Foundation
import GRDB

/// The state of a store. It is read without creating, migrating or repairing the store, and other programs
/// may use the store meanwhile.
package struct StoreInspection: Sendable {
  package enum State: Hashable, Sendable {
    case absent
    case unreadable(StorageError)
    /// The schema is older: some migrations are missing. Contains the last one that was applied.
    case older(String)
    case newer(String)
    case current
  }

  package var state: State
  /// The permission bits of the file.
  package var mode: Int?
  /// Whether one of the directories above the file is accessible only to its owner. Other users then cannot
  /// access the file, regardless of its own permissions.
  package var isShielded = false
  /// The problems that SQLite's quick check finds (at most ``mostProblems``); `nil` if the file could not be
  /// read. Unlike `integrity()`, this check does not compare indexes with rows.
  package var problems: [String]?
  /// The size of the file and its log in bytes.
  package var size: Int64 = 0
  /// The disk space available to this user, in bytes.
  package var room: Int64?
  /// The process IDs of programs that have the store open.
  package var holders: [Int32] = []
  /// Whether another program has the store open, even if its process ID is not known; `nil` if this cannot be
  /// determined.
  package var isOpenElsewhere: Bool?
  /// Whether a gateway is running on the store, and its process ID if known.
  package var hasGateway = false
  package var gateway: Int32?

  private static let mostProblems = 20

  /// Reads the state of the store at a path.
  package static func look(at path: String) -> StoreInspection {
    var found = StoreInspection(state: .absent)
    found.room = room(at: path.enclosingFolder)
    var status = stat()
    guard stat(path, &status) == 0 else {
      if errno != ENOENT { found.state = .unreadable(.file(operation: "stat", path: path, errno: errno)) }
      return found
    }
    found.mode = Int(status.st_mode & 0o7777)
    found.size = Int64(status.st_size) + size(of: path + "-wal")
    found.isShielded = isShielded(folder: path.enclosingFolder)
    guard status.st_mode & S_IFMT == S_IFREG else {
      found.state = .unreadable(.notAFile(path: path, isDirectory: status.st_mode & S_IFMT == S_IFDIR))
      return found
    }
    found.holders = StoreUse.holders(path)
    found.isOpenElsewhere = StoreUse.isSeenOpenElsewhere(path)
    let lock = ProgramLock(ofGatewayOfDatabaseAt: path)
    found.hasGateway = lock.isTaken
    found.gateway = found.hasGateway ? lock.process : nil
    found.read(path)
    return found
  }

  private mutating func read(_ path: String) {
    do {
      (state, problems) = try SampleDatabase.inspect(path, mostProblems: Self.mostProblems)
    } catch let failure as StorageError {
      state = .unreadable(failure)
    } catch {
      state = .unreadable(.sqlite(code: "SQLITE_ERROR", message: "\(error)"))
    }
  }

  private static func room(at folder: String) -> Int64? {
    var file = statvfs()
    // If the directory does not exist, use its nearest existing ancestor.
    var folder = folder
    while statvfs(folder, &file) != 0 {
      let above = folder.enclosingFolder
      guard above != folder else { return nil }
      folder = above
    }
    return Int64(file.f_bavail) * Int64(file.f_frsize)
  }

  private static func isShielded(folder: String) -> Bool {
    // Resolve symbolic links, because the permissions of a link's directory do not protect its target.
    guard let resolved = realpath(folder, nil) else { return false }
    defer { free(resolved) }
    var folder = String(cString: resolved)
    while true {
      var status = stat()
      if stat(folder, &status) == 0, status.st_mode & 0o011 == 0 { return true }
      guard folder != "/" else { return false }
      folder = folder.enclosingFolder
    }
  }

  private static func size(of path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }
}
