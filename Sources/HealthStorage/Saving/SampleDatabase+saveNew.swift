import Foundation
import GRDB

extension SampleDatabase {
  /// Returns the last position in the change log.
  package func endOfChanges() async throws -> Int64 { try await read { try Self.lastChange($0) } }

  /// Deduplicates the samples, and saves new ones in one transaction. If a new correlation contains samples
  /// that are already stored, these are added to it.
  /// - Parameter matching: How to recognize samples that are stored with another UUID; `nil` to compare only
  ///   UUIDs.
  /// - Returns: The result for the new samples. A correlation counts as one.
  /// - Throws: The errors of `save(_:inOrderOfTime:with:)` except `.duplicates`.
  package func saveNew(
    _ records: [SampleRecord], matching: ImportMatching? = nil
  ) async throws -> SaveOutcome {
    guard !records.isEmpty else { return SaveOutcome() }
    return try await writeInOwnTransaction { database in
      try inOneTransaction(database) { batch in
        var known = try storedOrOpen(records.flatMap(\.uuids), in: database)
        let earlier = try matching.map { matching in
          try EarlierRecords(
            matching, of: records.filter { !known.contains($0.uuid) }, in: database, damagedBlocks)
        }
        var outcome = SaveOutcome()
        let before = try Self.lastChange(database)
        for record in records where !known.contains(record.uuid) {
          if let earlier, try batch.isStored(record, earlier, &known) {
            known.insert(record.uuid)
            continue
          }
          let isReplacing = try earlier?.deleteSeries(replacedBy: record, &batch.summaries) ?? false
          let previous = batch.outcome
          try batch.save(record, besides: known)
          known.formUnion(record.uuids)
          if batch.outcome.ignored > previous.ignored {
            outcome.ignored += 1
          } else if batch.outcome.replaced > previous.replaced || isReplacing {
            outcome.replaced += 1
          } else {
            outcome.stored += 1
          }
        }
        outcome.alike = earlier?.alike ?? [:]
        // The times of these samples are not from this machine's clock, so exclude the samples from
        // corrections of the clock.
        try Self.excludeFromClockCorrections(after: before, in: database)
        return outcome
      }
    }
  }
}

extension BatchSave {
  /// Returns whether an earlier import stored the sample with another UUID. If this is true of samples in a
  /// correlation, the stored ones are added to the correlation.
  fileprivate mutating func isStored(
    _ record: SampleRecord, _ earlier: EarlierRecords, _ known: inout Set<UUID>
  ) throws -> Bool {
    guard case .correlation(let members) = record.content else { return try earlier.row(of: record) != nil }
    let memberships = Memberships(database: database)
    var rows: Set<Int64> = []
    for member in members {
      if let row = try memberships.row(of: member.uuid) {
        rows.insert(row)
      } else if let row = try earlier.row(of: member, isCounted: false) {
        replacementRow(row, for: member.uuid)
        known.insert(member.uuid)
        rows.insert(row)
      }
    }
    return try rows.count == members.count && earlier.isStored(record, holding: rows)
  }
}
