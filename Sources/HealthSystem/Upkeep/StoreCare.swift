import Foundation
package import HealthKit
import HealthStorage

/// Maintenance of a store file: check, backup, restore, vacuum and recovery.
package enum StoreCare {
  /// The result of a check of a store.
  package struct Report: Sendable {
    /// A problem that the check found.
    package struct Finding: Hashable, Sendable {
      /// The kind of problem: `file`, `reference`, `content`, `summary` or `changeLog`.
      package var kind: String
      /// A description without values of samples.
      package var text: String
      /// How many times the problem occurs.
      package var count: Int
    }

    /// How much of a table in a damaged file can be read.
    package struct Table: Hashable, Sendable {
      /// A range of consecutive rows that cannot be read.
      package struct Hole: Hashable, Sendable {
        /// The identifier of the first row that cannot be read.
        package var first: Int64
        /// The identifier of the next row that can be read, or nil if no later row can be read.
        package var next: Int64?
        /// Start time of the last readable row before the hole, in microseconds since 1970.
        package var before: Int64?
        /// Start time of the first readable row after the hole, in microseconds since 1970.
        package var after: Int64?
      }

      package var name: String
      /// The number of rows that can be read.
      package var rows: Int
      package var isWhole: Bool
      package var holes: [Hole]
      /// The number of holes that are not listed.
      package var furtherHoles = 0
    }

    /// The problems found. Empty if the store is not damaged.
    package var findings: [Finding]
    /// If the file is damaged, its tables. Empty if even the list of tables cannot be read.
    package var tables: [Table] = []
    /// The size of the file and the number of rows. Nil if they cannot be read.
    package var size: (bytes: Int64, samples: Int, deletions: Int)?
  }

  /// The result of recovering a damaged store.
  package struct Rescue: Sendable {
    /// The number of recovered rows by table.
    package var kept: [String: Int]
    /// The number of rows by table that were read but are invalid or refer to lost rows.
    package var dropped: [String: Int]
    /// The names of the tables that could not be read completely.
    package var damaged: [String]
    /// For each hour whose samples are lost, a text with the hour and the reason.
    package var lostBlocks: [String]
    /// The number of samples that were recovered without one of their properties, by property: `metadata`,
    /// `device`, `source` (replaced by another source) or `sourceName`.
    package var losses: [String: Int]

    /// Whether everything in the old store was recovered.
    package var isWhole: Bool {
      dropped.isEmpty && damaged.isEmpty && lostBlocks.isEmpty && losses.isEmpty
    }
  }

  /// Checks a store. A gateway may write to the store at the same time.
  /// - Throws: `HKError.errorDatabaseInaccessible` with the reason if the file is not a store.
  package static func check(_ path: String) throws -> Report {
    try HKError.translating {
      let (findings, size, tables) = try StoreUpkeep.check(at: path)
      return Report(
        findings: findings.map { Report.Finding(kind: $0.kind.rawValue, text: $0.text, count: $0.count) },
        tables: tables.map(Report.Table.init), size: size.map { ($0.bytes, $0.samples, $0.deletions) })
    }
  }

  /// Checks a store before a gateway opens it, possibly to write to it for months. A missing file is not an
  /// error.
  /// - Throws: ``UnusableStoreError`` if the store is damaged or newer, or if the file is not a store.
  package static func refuseDamaged(_ path: String) throws(UnusableStoreError) {
    do {
      try StoreUpkeep.refuseDamaged(path)
    } catch {
      let failure = error as? StorageError
      throw UnusableStoreError(reason: failure?.description ?? "\(error)", lasts: failure?.lasts ?? false)
    }
  }

  /// Returns whether a gateway uses a store. The store is not opened.
  package static func hasGateway(_ path: String) -> Bool { StoreUpkeep.gateway(ofStoreAt: path) != nil }

  /// Checks that an output file would not overwrite the store that it is made from.
  /// - Throws: `HKError` if it would.
  package static func refuseWriting(_ file: String, overStore path: String) throws {
    try HKError.translating { try StoreUpkeep.refuseWriting(file, overStore: path) }
  }

  /// Makes a backup copy of a store. The copy is a consistent snapshot, even if programs write to the store
  /// meanwhile.
  /// - Parameters:
  ///   - home: The user's data directory. The copy must not overwrite one of its stores.
  ///   - stores: Further stores that must not be overwritten.
  ///   - owner: The owner of the copy, if root makes it for another user.
  /// - Throws: `HKError` with the reason.
  package static func backUp(
    _ path: String, to copy: String, home: DataHome = .user, sparing stores: [String] = [],
    for owner: (user: UInt32, group: UInt32)? = nil
  ) throws {
    try HKError.translating {
      let known = try stores + home.stores
      try StoreUpkeep.backUp(path, to: copy, sparing: known, for: ownership(owner))
    }
  }

  private static func ownership(_ owner: (user: UInt32, group: UInt32)?) -> FileOwnership? {
    owner.map { FileOwnership(user: $0.user, group: $0.group) }
  }

  /// Replaces a store with a backup. No program may have the store open.
  /// - Returns: The path at which the old store is kept, or nil if there was none.
  package static func restore(_ path: String, from backup: String) throws -> String? {
    try HKError.translating { try StoreUpkeep.restore(path, from: backup) }
  }

  /// Returns unused space to the file system.
  /// - Returns: The size of the file in bytes before and after.
  package static func vacuum(_ path: String) throws -> (before: Int64, after: Int64) {
    try HKError.translating { try StoreUpkeep.vacuum(path) }
  }

  /// Recovers the readable data of a damaged store into a new file.
  /// - Parameter owner: The owner of the new file, if root makes it for another user.
  package static func recover(
    _ path: String, to target: String, for owner: (user: UInt32, group: UInt32)? = nil
  ) throws -> Rescue {
    try HKError.translating {
      let recovered = try StoreUpkeep.recover(path, to: target, for: ownership(owner), .ofHealthKit)
      return Rescue(
        kept: recovered.kept.filter { $0.value > 0 }, dropped: recovered.dropped.filter { $0.value > 0 },
        damaged: recovered.damaged.sorted(), lostBlocks: recovered.lostBlocks,
        losses: Dictionary(uniqueKeysWithValues: recovered.losses.map { ($0.rawValue, $1) }))
    }
  }
}

extension StoreCare.Report.Table {
  fileprivate init(_ survey: TableSurvey) {
    self.init(
      name: survey.table, rows: survey.rows, isWhole: survey.isWhole,
      holes: survey.holes.map { Hole(first: $0.first, next: $0.next, before: $0.before, after: $0.after) },
      furtherHoles: survey.furtherHoles)
  }
}

/// The reason why a gateway refuses to open a store.
package struct UnusableStoreError: LocalizedError, Hashable {
  /// A text with the reason and what the user can do.
  package var reason: String
  /// Whether retrying is useless because the user must act first.
  package var lasts: Bool

  package var errorDescription: String? { reason }
}
