import GRDB
import Synchronization

/// The times of the monitors' last measurements that were written to their rows.
///
/// A row is updated at most once per minute; until then, the time follows from the samples of the last
/// commits. Updating eight rows in each commit would cost more than storing the measurements. Samples of a
/// recording are never in a batch.
final class MeasurementTimes: Sendable {
  /// Minimum time between two writes of a monitor's row, in microseconds.
  static let interval: Int64 = 60_000_000

  private let written = Mutex<[AddressRecord: Int64]>([:])

  /// Returns the statuses of a commit that must be written, because they do not follow from its segments.
  /// - Parameter inSegments: When the last sample in the commit's segments ends, by the monitor's address.
  func toWrite(
    _ statuses: [MonitorStatusRecord], by inSegments: [String: Int64]
  ) -> [MonitorStatusRecord] {
    let written = written.withLock(\.self)
    return statuses.filter { status in
      guard let time = status.lastMeasurement, let before = written[status.address],
        (0..<Self.interval).contains(time - before)
      else { return true }
      return inSegments[status.address.text] != time || status.lastSeen != time || !status.hasTimesOnly
    }
  }

  /// Records that the statuses were committed.
  func note(_ statuses: [MonitorStatusRecord]) {
    written.withLock { written in
      for status in statuses {
        if let time = status.lastMeasurement { written[status.address] = time }
      }
    }
  }
}

extension SampleDatabase {
  /// Maximum time by which a monitor's row is behind its segments, in microseconds.
  private static let longestDelay = 2 * MeasurementTimes.interval

  /// Returns monitors with the times of their last measurements in segments, if these are later than the
  /// rows.
  func upToDate(_ monitors: [MonitorRecord], in database: Database) throws -> [MonitorRecord] {
    try monitors.map { monitor in
      guard let time = monitor.lastMeasurement,
        let last = try Self.lastMeasurement(of: monitor.address.text, after: time, in: database)
      else { return monitor }
      var monitor = monitor
      monitor.lastMeasurement = last
      monitor.lastSeen = max(last, monitor.lastSeen ?? last)
      return monitor
    }
  }

  /// Returns when the last of a monitor's segments that end soon after a time ends. Segments of a recording do
  /// not count. No segment is decoded.
  private static func lastMeasurement(
    of address: String, after time: Int64, in database: Database
  ) throws -> Int64? {
    let (last, overflow) = time.addingReportingOverflow(longestDelay)
    guard !overflow else { return nil }
    return try Int64.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT max(end) FROM block INDEXED BY block_start
          WHERE start BETWEEN ?1 AND ?3 AND end BETWEEN ?2 AND ?3 AND provenance IN (
            SELECT provenance.id FROM provenance
            JOIN source_revision ON source_revision.id = provenance.source_revision
            JOIN source ON source.id = source_revision.source WHERE source.bundle_identifier = ?4)
          AND NOT EXISTS (SELECT 1 FROM recorded_sample
            WHERE first <= block.first_change AND last >= block.last_change)
          """),
      arguments: [HourSummary.start(ofHourOf: time), time, last, MeasuredIdentity.sourcePrefix + address])
  }

  /// Writes the time of the last measurement to the monitor's row, before its batch is compacted or unpacked.
  static func noteMeasurement(_ block: StoredBlock, in database: Database) throws {
    guard let address = block.address else { return }
    try database.cachedStatement(
      sql: """
        UPDATE monitor SET last_measurement = ?1, last_seen = max(?1, ifnull(last_seen, ?1))
        WHERE address = ?2 AND last_measurement < ?1 AND last_measurement >= ?1 - \(longestDelay)
        """
    ).execute(arguments: [block.header.end, address])
  }
}
