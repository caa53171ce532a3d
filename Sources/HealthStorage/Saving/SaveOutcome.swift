package import Foundation

/// The result of saving a batch. The first three counts add up to the number of records.
package struct SaveOutcome: Hashable, Sendable {
  /// Stored as new objects.
  package var stored = 0
  /// Stored as replacements for objects with the same sync identifier and a lower version.
  package var replaced = 0
  /// Not stored, because an object with the same sync identifier and this or a greater version is stored.
  package var ignored = 0
  /// Series in progress that the user deleted meanwhile; not included in the counts.
  package var deletedSeries: [UUID] = []
  /// The number of an import's new samples that are also stored for another source with the same type, time
  /// and value.
  package var alike: [SourcePair: Int] = [:]

  package init() {}
}
