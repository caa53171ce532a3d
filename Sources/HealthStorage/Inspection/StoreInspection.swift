import Foundation
import GRDB

/// A database as it is, seen from outside: nothing is made, migrated or mended, and whoever uses it goes on.
package struct StoreInspection: Sendable {
  package enum State: Hashable, Sendable {
    case absent
    case unreadable(StorageFailure)
    /// Its migrations are not all there; the last that is.
    case older(String)
    case newer(String)
    case current
  }

  package var state: State
  /// The permission bits of the file.
  package var mode: Int?
  /// It lies in a folder that only its owner can enter, however far above it: nobody else reaches it,
  /// whatever its own permissions.
  package var isShielded = false
  /// What SQLite's quick check finds wrong, at most ``mostFlaws``; nil where the file could not be read. The
  /// indexes are not compared with the rows, as `integrity()` does.
  package var flaws: [String]?
  /// Octets of the file and its log.
  package var size: Int64 = 0
  /// Octets that this user may still write to the disk.
  package var room: Int64?
  /// The processes of the programs that have it open.
  package var holders: [Int32] = []
  /// Another program has it open, be its process known or not; `nil` where that cannot be found out.
  package var isOpenElsewhere: Bool?
  /// A program follows the monitors; its process, where that is known.
  package var hasGateway = false
  package var gateway: Int32?

  private static let mostFlaws = 20

  /// Looks at the database at a path.
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
      (state, flaws) = try SampleDatabase.inspect(path, mostFlaws: Self.mostFlaws)
    } catch let failure as StorageFailure {
      state = .unreadable(failure)
    } catch {
      state = .unreadable(.sqlite(code: "SQLITE_ERROR", message: "\(error)"))
    }
  }

  private static func room(at folder: String) -> Int64? {
    var file = statvfs()
    // Where the folder is not there yet, the nearest that is.
    var folder = folder
    while statvfs(folder, &file) != 0 {
      let above = folder.enclosingFolder
      guard above != folder else { return nil }
      folder = above
    }
    return Int64(file.f_bavail) * Int64(file.f_frsize)
  }

  private static func isShielded(folder: String) -> Bool {
    // Where it really is: a symbolic link is no folder that keeps anybody out.
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
