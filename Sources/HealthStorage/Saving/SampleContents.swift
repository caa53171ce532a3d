import Foundation
import GRDB

/// Inserts the content of a sample, such as its beats, into the table for its kind. Use it only inside the
/// write access in which it was created, and only for the sample row inserted last.
struct SampleContents {
  let database: Database

  /// - Parameter replacementRows: The stored samples that replace samples that were not saved.
  func insert(_ record: SampleRecord, _ replacementRows: ReplacementRows) throws {
    switch record.content {
    case .quantity, .category:
      break
    case .quantitySeries(let series):
      try insert(
        """
        INSERT INTO quantity_series
          (sample, count, minimum, maximum, latest, latest_start, latest_end, quantities)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [
          series.count, series.minimum, series.maximum, series.latest.value, series.latest.start,
          series.latest.end, Data(series.quantities ?? []),
        ])
      try database.cachedStatement(
        sql: "INSERT INTO series_place (type, start, sample) SELECT type, start, id FROM sample WHERE id = ?"
      ).execute(arguments: [database.lastInsertedRowID])
    case .heartbeatSeries(let count, let beats):
      try insert(
        "INSERT INTO heartbeat_series (sample, count, beats) VALUES (?, ?, ?)", [count, Data(beats ?? [])])
    case .locationSeries(let count, let locations):
      try insert(
        "INSERT INTO location_series (sample, count, locations) VALUES (?, ?, ?)",
        [count, Data(locations ?? [])])
    case .archive(let archive), .container(let archive, _):
      try insert(archive)
    case .recording(let archive, let voltages):
      try insert(archive)
      try insert("INSERT INTO voltage_series (sample, voltages) VALUES (?, ?)", [Data(voltages)])
    case .correlation(let members):
      try Memberships(database: database).add(
        members.map(\.uuid), to: database.lastInsertedRowID, replacementRows)
    }
  }

  private func insert(_ archive: [UInt8]) throws {
    try insert("INSERT INTO archived_sample (sample, archive) VALUES (?, ?)", [Data(archive)])
  }

  /// In these tables the sample's ID is the row ID, so `lastInsertedRowID` stays the same.
  private func insert(_ sql: String, _ values: StatementArguments) throws {
    try database.cachedStatement(sql: sql).execute(arguments: [database.lastInsertedRowID] + values)
  }
}
