import HealthKit
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

    /// Empty for a sound store.
    package var findings: [Finding]
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
  }

  /// Looks through a store, also while a gateway writes to it.
  /// - Throws: `HKError`, errorDatabaseInaccessible, with the reason: no store at all.
  package static func check(_ path: String) throws -> Report {
    try HKError.translating {
      let (findings, size) = try StoreUpkeep.check(at: path)
      return Report(
        findings: findings.map { Report.Finding(kind: $0.kind.rawValue, text: $0.text, count: $0.count) },
        size: size.map { ($0.bytes, $0.samples, $0.deletions) })
    }
  }

  /// A look before a gateway opens a store and writes to it for months. What is not there is sound.
  /// - Throws: `HKError`, errorDatabaseInaccessible, where it is damaged.
  package static func refuseDamaged(_ path: String) throws {
    try HKError.translating { try StoreUpkeep.refuseDamaged(path) }
  }

  /// Whether a gateway runs on a store, which is not opened.
  package static func hasGateway(_ path: String) -> Bool { StoreUpkeep.gateway(ofStoreAt: path) != nil }

  /// Before a file is written that is made of a store.
  /// - Throws: `HKError` where that would be written over the store.
  package static func refuseWriting(_ file: String, overStore path: String) throws {
    try HKError.translating { try StoreUpkeep.refuseWriting(file, overStore: path) }
  }

  /// Copies a store as it is at one moment.
  /// - Throws: `HKError`, with the reason.
  package static func backUp(_ path: String, to copy: String) throws {
    try HKError.translating { try StoreUpkeep.backUp(path, to: copy) }
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
  package static func recover(_ path: String, to target: String) throws -> Rescue {
    try HKError.translating {
      let recovered = try StoreUpkeep.recover(path, to: target, .ofHealthKit)
      return Rescue(
        kept: recovered.kept.filter { $0.value > 0 }, dropped: recovered.dropped.filter { $0.value > 0 },
        damaged: recovered.damaged.sorted(), lostBlocks: recovered.lostBlocks)
    }
  }
}
