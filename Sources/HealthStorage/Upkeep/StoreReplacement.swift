import Foundation
import GRDB

/// Replaces a store with another file, and keeps the old store under a new name.
///
/// If a step fails, the path still leads to a store: the old one or the new one. No program can open either
/// during the replacement, and SQLite's logs of one are never applied to the other.
struct StoreReplacement {
  /// Part of the file names of stores kept by a replacement.
  static let infix = ".before-restore"

  private let path: String

  init(of path: String) { self.path = path }

  /// - Parameter move: renames a file.
  /// - Returns: the name under which the old store is kept; nil if there was none.
  /// - Throws: `StorageError`: `.inUse` if a program has the store open.
  func take(
    _ new: String, move: (String, String) throws -> Void = { try StoreFile.move($0, to: $1) }
  ) throws -> String? {
    try OpeningLock.held(forDatabaseAt: path) {
      guard !StoreUse.isOpen(path) else { throw StorageError.inUse(path: path) }
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

  /// Logs that SQLite would replay into any file with the store's name: the write-ahead log, and the rollback
  /// journal of an interrupted program.
  private static let logs = ["-wal", "-journal"]

  private var hasLogs: Bool { Self.logs.contains { access(path + $0, F_OK) == 0 } }

  /// Merges the logs into the store's file. A single file can be replaced atomically, which is safe in a
  /// power failure. If the store is too damaged for this, the logs are kept.
  private func foldLogs() {
    guard hasLogs else { return }
    _ = try? DatabaseQueue(path: path).writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA journal_mode = DELETE")
      // The first read rolls back the changes that a journal records as interrupted.
      _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema")
    }
  }

  /// Moves the files one by one, if logs remain or the file system has no hard links. The store is missing
  /// for a moment.
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
