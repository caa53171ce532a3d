package import HealthKit
import HealthStorage

/// What the user does with the file of a store as a whole.
package enum StoreCare {
  /// What looking through a store found.
  package struct Report: Sendable {
    package struct Finding: Hashable, Sendable {
      /// `file`, `reference`, `content`, `summary` or `changeLog`.
      package var kind: String
      /// Without values of the samples.
      package var text: String
      package var count: Int
    }

    /// What can be read of a table.
    package struct Table: Hashable, Sendable {
      /// Where nothing can be read.
      package struct Hole: Hashable, Sendable {
        /// The first id that cannot be, and the next that can; nil where none can from there on.
        package var first: Int64
        package var next: Int64?
        /// When what is read before it begins, and what is read behind it, in microseconds since 1970.
        package var before: Int64?
        package var after: Int64?
      }

      package var name: String
      package var rows: Int
      package var isWhole: Bool
      package var holes: [Hole]
      /// How many more there are.
      package var furtherHoles = 0
    }

    /// Empty for a sound store.
    package var findings: [Finding]
    /// Of a store whose file is damaged; empty where not even that can be read which says what tables there
    /// are.
    package var tables: [Table] = []
    /// nil where not even that can be read.
    package var size: (bytes: Int64, samples: Int, deletions: Int)?
  }

  /// What was saved of a damaged store, in rows by table.
  package struct Rescue: Sendable {
    package var kept: [String: Int]
    package var dropped: [String: Int]
    package var damaged: [String]
    /// Hours of which samples are lost, each with the reason.
    package var lostBlocks: [String]
    /// How many samples are saved without something of theirs: `metadata`, `device`, `source` (another has
    /// its place) or `sourceName`.
    package var losses: [String: Int]

    /// Whether all that was in the store is in the new one.
    package var isWhole: Bool {
      dropped.isEmpty && damaged.isEmpty && lostBlocks.isEmpty && losses.isEmpty
    }
  }

  /// Looks through a store, also while a gateway writes to it.
  /// - Throws: `HKError`, errorDatabaseInaccessible, with the reason: no store at all.
  package static func check(_ path: String) throws -> Report {
    try HKError.translating {
      let (findings, size, tables) = try StoreUpkeep.check(at: path)
      return Report(
        findings: findings.map { Report.Finding(kind: $0.kind.rawValue, text: $0.text, count: $0.count) },
        tables: tables.map(Report.Table.init), size: size.map { ($0.bytes, $0.samples, $0.deletions) })
    }
  }

  /// A look before a gateway opens a store and writes to it for months. What is not there is sound.
  /// - Throws: for a store that is damaged, or of a newer version, and for what is no store.
  package static func refuseDamaged(_ path: String) throws(StoreRefusal) {
    do {
      try StoreUpkeep.refuseDamaged(path)
    } catch {
      let failure = error as? StorageFailure
      throw StoreRefusal(reason: failure?.description ?? "\(error)", lasts: failure?.lasts ?? false)
    }
  }

  /// Whether a gateway runs on a store, which is not opened.
  package static func hasGateway(_ path: String) -> Bool { StoreUpkeep.gateway(ofStoreAt: path) != nil }

  /// Before a file is written that is made of a store.
  /// - Throws: `HKError` where that would be written over the store.
  package static func refuseWriting(_ file: String, overStore path: String) throws {
    try HKError.translating { try StoreUpkeep.refuseWriting(file, overStore: path) }
  }

  /// Copies a store as it is at one moment.
  /// - Parameters:
  ///   - home: where there are stores, which no copy takes the place of.
  ///   - stores: others.
  ///   - owner: whose the copy is, where root makes it for another.
  /// - Throws: `HKError`, with the reason.
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

  /// Puts a backup in the place of a store that no program has open.
  /// - Returns: where the old store is kept; nil if there was none.
  package static func restore(_ path: String, from backup: String) throws -> String? {
    try HKError.translating { try StoreUpkeep.restore(path, from: backup) }
  }

  /// Gives unused room back to the disk.
  /// - Returns: the bytes of the file before and after.
  package static func vacuum(_ path: String) throws -> (before: Int64, after: Int64) {
    try HKError.translating { try StoreUpkeep.vacuum(path) }
  }

  /// Saves what is sound of a damaged store into a new file.
  /// - Parameter owner: whose that is, where root makes it for another.
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
