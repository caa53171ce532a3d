import GRDB
import Synchronization

/// Determines when the time of a monitor's last measurement is written to its row.
///
/// A row is updated at most once per minute; until then, the time follows from the segments of the last
/// commits. Updating eight rows in each commit would cost more than storing the measurements. Segments of a
/// recording do not count, because the gateway did not receive them.
final class MeasurementTimes: Sendable {
  /// Minimum time between two updates of a monitor's row, in microseconds.
  static let interval: Int64 = 60_000_000

  private let written = Mutex<[AddressRecord: Int64]>([:])

  /// Returns those statuses of a commit that must be written to the monitors' rows, because they contain more
  /// than the commit's compressed segments do, or the last update was too long ago.
  /// - Parameter inSegments: The latest end of the samples in the commit's segments, by the monitor's
  ///   address.
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

  /// Records which statuses were committed.
  func note(_ statuses: [MonitorStatusRecord]) {
    written.withLock { written in
      for status in statuses {
        if let time = status.lastMeasurement { written[status.address] = time }
      }
    }
  }
}

extension SampleDatabase {
  /// Maximum delay of a monitor's row behind its compressed segments, in microseconds.
  private static let longestDelay = 2 * MeasurementTimes.interval

  /// Returns the monitors with up-to-date measurement times. If compressed segments contain a later
  /// measurement than a monitor's row, its time comes from the segments.
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

  /// Returns the latest end of a monitor's compressed segments that end at `time` or up to `longestDelay`
  /// later; `nil` if there are none. Ignores segments of a recording, and decodes no segment.
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

  /// Writes the time of the last measurement in a segment to the monitor's row. Call it before the segment is
  /// turned into rows, because the time could then no longer be read from the segment.
  static func recordMeasurement(_ block: StoredBlock, in database: Database) throws {
    guard let address = block.address else { return }
    try database.cachedStatement(
      sql: """
        UPDATE monitor SET last_measurement = ?1, last_seen = max(?1, ifnull(last_seen, ?1))
        WHERE address = ?2 AND last_measurement < ?1 AND last_measurement >= ?1 - \(longestDelay)
        """
    ).execute(arguments: [block.header.end, address])
  }
}
