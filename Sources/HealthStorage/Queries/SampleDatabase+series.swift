package import Foundation
import GRDB

// Reads series (beats, locations and voltages), which are stored encoded.

extension SampleDatabase {
  /// Returns the beats of a series.
  /// - Returns: `nil` if there is no such series, or the application may not read it.
  /// - Throws: `StorageError.damagedSeries` if the bytes cannot be decoded.
  package func heartbeats(of series: UUID) async throws -> [Heartbeat]? {
    try await unpack(
      series, "SELECT beats FROM heartbeat_series JOIN sample ON sample.id = sample",
      or: "SELECT beats FROM \(OpenSeries.samples) AS sample", HeartbeatCodec.decode)
  }

  /// Returns the locations of a route in the order in which they were saved.
  /// - Returns: `nil` if there is no such route, or the application may not read it.
  /// - Throws: `StorageError.damagedSeries` if the bytes cannot be decoded.
  package func locations(of route: UUID) async throws -> [LocationRecord]? {
    try await unpack(
      route, "SELECT locations FROM location_series JOIN sample ON sample.id = sample", LocationCodec.decode)
  }

  /// Returns the voltages of an electrocardiogram.
  /// - Returns: `nil` if there is no such electrocardiogram, or the application may not read it.
  /// - Throws: `StorageError.damagedSeries` if the bytes cannot be decoded.
  package func voltages(of recording: UUID) async throws -> VoltageRecord? {
    try await unpack(
      recording, "SELECT voltages FROM voltage_series JOIN sample ON sample.id = sample", VoltageCodec.decode)
  }

  /// - Parameter other: A second query, used if the first one finds nothing.
  private func unpack<Value: Sendable>(
    _ uuid: UUID, _ sql: String, or other: String? = nil, _ decode: ([UInt8]) -> Value?
  ) async throws -> Value? {
    let bytes = try await read { database in
      let condition = try condition(of: .uuids([uuid]), in: database)
      for sql in [sql, other].compactMap(\.self) {
        let found = try Data.fetchOne(
          database, sql: "\(sql) WHERE \(condition.sql)", arguments: condition.arguments)
        if let found { return found as Data? }
      }
      return nil
    }
    guard let bytes else { return nil }
    guard let value = decode(Array(bytes)) else { throw StorageError.damagedSeries(uuid) }
    return value
  }

  /// Returns the stored statistics of a quantity series, such as its minimum.
  static func series(
    of sample: Int64, value: Double, unit: String, in database: Database
  ) throws -> QuantitySeries {
    let statement = try database.cachedStatement(
      sql: """
        SELECT count, minimum, maximum, latest_start, latest_end, latest FROM quantity_series WHERE sample = ?
        """)
    guard let row = try Row.fetchOne(statement, arguments: [sample]) else {
      throw StorageError.sqlite(code: "SQLITE_CORRUPT", message: "row missing: quantity_series")
    }
    return try QuantitySeries(
      unit: unit, value: value, count: row.decode(atIndex: 0), minimum: row.decode(atIndex: 1),
      maximum: row.decode(atIndex: 2),
      latest: SeriesQuantity(
        start: row.decode(atIndex: 3), end: row.decode(atIndex: 4), value: row.decode(atIndex: 5)),
      quantities: nil)
  }
}
