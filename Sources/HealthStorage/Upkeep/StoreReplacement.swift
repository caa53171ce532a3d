import Foundation
import GRDB

/// Puts a file in the place of a store, and keeps the store under a name of its own.
///
/// Whatever fails, there is a store under the name: the one of before or the new one. No program opens
/// either meanwhile, and nothing that SQLite keeps beside the one is taken for the other's.
struct StoreReplacement {
  /// What the names of stores have that are kept.
  static let infix = ".before-restore"

  private let path: String

  init(of path: String) { self.path = path }

  /// - Parameter move: renames a file.
  /// - Returns: the name under which the old store is kept; nil if there was none.
  /// - Throws: `StorageFailure`: `.inUse` where a program has the store open.
  func take(
    _ new: String, move: (String, String) throws -> Void = { try StoreFile.move($0, to: $1) }
  ) throws -> String? {
    try OpeningLock.held(forDatabaseAt: path) {
      guard !StoreUse.isOpen(path) else { throw StorageFailure.inUse(path: path) }
      let isThere = access(path, F_OK) == 0
      if isThere { foldLogs() }
      let kept = StoreFile.freeName(path + Self.infix, with: Self.logs)
      if isThere, !hasLogs, link(path, kept) == 0 {
        try undoing {
          unlink(kept)
        } ifFails: {
          try move(new, path)
        }
      } else {
        try moveAway([""] + Self.logs, to: kept, move) { try move(new, path) }
      }
      unlink(path + "-shm")
      return isThere ? kept : nil
    }
  }

  /// What SQLite would play into whichever file has the store's name: the write-ahead log, and the rollback
  /// journal of who was interrupted.
  private static let logs = ["-wal", "-journal"]

  private var hasLogs: Bool { Self.logs.contains { access(path + $0, F_OK) == 0 } }

  /// Without logs the store is one file, and one file is replaced in one step, whenever the power may fail.
  /// A store that is too damaged for that keeps them.
  private func foldLogs() {
    guard hasLogs else { return }
    _ = try? DatabaseQueue(path: path).writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA journal_mode = DELETE")
      // Whoever reads first takes back what a journal says was interrupted.
      _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema")
    }
  }

  /// Where there is a log still, or no file has two names, the store is away for an instant.
  private func moveAway(
    _ suffixes: [String], to kept: String, _ move: (String, String) throws -> Void,
    _ body: () throws -> Void
  ) throws {
    guard let suffix = suffixes.first else { return try body() }
    let (rest, file) = (Array(suffixes.dropFirst()), path + suffix)
    guard access(file, F_OK) == 0 else { return try moveAway(rest, to: kept, move, body) }
    try move(file, kept + suffix)
    try undoing {
      rename(kept + suffix, file)
    } ifFails: {
      try moveAway(rest, to: kept, move, body)
    }
  }

  private func undoing(_ undo: () -> Int32, ifFails body: () throws -> Void) throws {
    do {
      try body()
    } catch {
      _ = undo()
      throw error
    }
  }
}
