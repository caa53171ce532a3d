package import Foundation

/// What became of a batch. The three counts add up to it.
package struct SaveOutcome: Hashable, Sendable {
  /// Stored as new objects.
  package var stored = 0
  /// Stored in place of an object with the same sync identifier and a lower version.
  package var replaced = 0
  /// Not stored: an object with the same sync identifier and this or a greater version is there.
  package var ignored = 0
  /// Series in progress that the user deleted while they were being measured; they are not among the counts.
  package var deletedSeries: [UUID] = []
  /// Of an import's new samples, the number that are stored for another source with the same type, time and
  /// value.
  package var alike: [SourcePair: Int] = [:]

  package init() {}
}
