import Foundation
import GRDB

/// Replaces a store by another file, and keeps the old store under a new name.
///
/// If a step fails, there is still a store at the path: the old one or the new one. During the replacement,
/// no program can open either of them. SQLite never applies the log of one to the other.
struct StoreReplacement {
  /// A part of the names of old stores that were replaced.
  static let infix = ".before-restore"

  private let path: String

  init(of path: String) { self.path = path }

  /// - Parameters:
  ///   - move: Renames a file.
  ///   - prepare: Called with the new name of the old store, right before the files are renamed.
  /// - Returns: The new name of the old store; `nil` if there was none.
  /// - Throws: `StorageError`: `.inUse` if a program has the store open.
  func take(
    _ new: String, move: (String, String) throws -> Void = { try StoreFile.move($0, to: $1) },
    prepare: (String) throws -> Void = { _ in }
  ) throws -> String? {
    try OpeningLock.held(forDatabaseAt: path) {
      guard !StoreUse.isOpen(path) else { throw StorageError.inUse(path: path) }
      // Otherwise the store that is kept would later be taken for the old file of an interrupted encryption,
      // and overwritten.
      StoreConversion(path).removeSecondName()
      let isThere = access(path, F_OK) == 0
      if isThere { foldLogs() }
      let kept = StoreFile.freeName(path + Self.infix, with: Self.logs + [KeyFile.suffix])
      try prepare(kept)
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

  /// The suffixes of logs that SQLite would apply to any file with the store's name: the write-ahead log, and
  /// the rollback journal of an interrupted transaction.
  private static let logs = ["-wal", "-journal"]

  private var hasLogs: Bool { Self.logs.contains { access(path + $0, F_OK) == 0 } }

  /// Moves the content of the logs into the database file, because only a single file can be replaced
  /// atomically. If the store is too damaged for this, the logs are kept.
  private func foldLogs() {
    guard hasLogs else { return }
    _ = try? DatabaseQueue(path: path).writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA journal_mode = DELETE")
      // If an interrupted transaction left a rollback journal, this read rolls the transaction back.
      _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema")
    }
  }

  /// Moves the files one by one, if there are logs or the file system does not support hard links. For a
  /// moment, no store is at the path.
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
