import Foundation
import GRDB

extension SampleDatabase {
  /// Stores those of a batch that are not stored yet, in one transaction. A correlation takes samples that
  /// are stored as its own.
  /// - Returns: what became of those that were new, each correlation counted as one.
  /// - Throws: as `save(_:inOrderOfTime:with:)`, but for duplicates, which are none here.
  package func saveNew(_ records: [SampleRecord]) async throws -> SaveOutcome {
    guard !records.isEmpty else { return SaveOutcome() }
    return try await writeInOwnTransaction { database in
      try inOneTransaction(database) { batch in
        var known = try storedOrOpen(records.flatMap(\.uuids), in: database)
        var outcome = SaveOutcome()
        let before = try Self.lastChange(database)
        for record in records where !known.contains(record.uuid) {
          let earlier = batch.outcome
          try batch.save(record, besides: known)
          known.formUnion(record.uuids)
          if batch.outcome.ignored > earlier.ignored {
            outcome.ignored += 1
          } else if batch.outcome.replaced > earlier.replaced {
            outcome.replaced += 1
          } else {
            outcome.stored += 1
          }
        }
        // Another machine's clock timed them.
        try Self.noteRecorded(after: before, in: database)
        return outcome
      }
    }
  }
}
