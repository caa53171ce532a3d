import Foundation
import GRDB

/// Puts a file in the place of a store, and keeps the store under a name of its own.
///
/// Whatever fails, there is a store under the name: the one of before or the new one. No program opens
/// either meanwhile.
struct StoreReplacement {
  private let path: String

  init(of path: String) { self.path = path }

  /// - Parameter move: renames a file.
  /// - Returns: the name under which the old store is kept; nil if there was none.
  /// - Throws: `StorageFailure`: `.inUse` where a program has the store open.
  func take(
    _ new: String, move: (String, String) throws -> Void = { try StoreFile.move($0, to: $1) }
  ) throws -> String? {
    try OpeningLock.held(forDatabaseAt: path) {
      guard access(path, F_OK) == 0 else {
        try move(new, path)
        return nil
      }
      guard !StoreUse.isOpen(path) else { throw StorageFailure.inUse(path: path) }
      let kept = StoreFile.freeName(path + ".before-restore")
      foldLog()
      if access(log(of: path), F_OK) != 0, link(path, kept) == 0 {
        try undoing {
          unlink(kept)
        } ifFails: {
          try move(new, path)
        }
      } else {
        try moveAway(to: kept, move) { try move(new, path) }
      }
      unlink(path + "-shm")
      return kept
    }
  }

  /// Without a log the store is one file, and one file is replaced in one step, whenever the power may fail.
  /// A store that is too damaged for that keeps its log.
  private func foldLog() {
    guard access(log(of: path), F_OK) == 0 else { return }
    _ = try? DatabaseQueue(path: path).writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA journal_mode = DELETE")
    }
  }

  /// Where there is a log still, or no file has two names, the store is away for an instant.
  private func moveAway(
    to kept: String, _ move: (String, String) throws -> Void, _ body: () throws -> Void
  ) throws {
    try move(path, kept)
    try undoing {
      rename(kept, path)
    } ifFails: {
      guard access(log(of: path), F_OK) == 0 else { return try body() }
      try move(log(of: path), log(of: kept))
      try undoing {
        rename(log(of: kept), log(of: path))
      } ifFails: {
        try body()
      }
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

  private func log(of path: String) -> String { path + "-wal" }
}
