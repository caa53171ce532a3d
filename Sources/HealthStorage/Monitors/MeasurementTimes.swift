import GRDB
import Synchronization

/// The times of the monitors' last measurements that were written to their rows.
///
/// A row is updated at most once per minute; until then, the time follows from the samples of the last
/// commits. Updating eight rows in each commit would cost more than storing the measurements. Samples of a
/// recording are never in a batch.
final class MeasurementTimes: Sendable {
  /// Minimum time between two writes of a monitor's row, in microseconds. After a kill the time of the last
  /// measurement is read from the samples.
  static let interval: Int64 = 60_000_000

  private let written = Mutex<[AddressRecord: Int64]>([:])

  /// Returns the statuses of a commit that contain more than the samples stored with them.
  /// - Parameter batched: the end of the last sample in the commit's batch, by the monitor's address.
  func toWrite(_ statuses: [MonitorStatusRecord], by batched: [String: Int64]) -> [MonitorStatusRecord] {
    let written = written.withLock(\.self)
    return statuses.filter { status in
      guard let time = status.lastMeasurement, let before = written[status.address],
        (0..<Self.interval).contains(time - before)
      else { return true }
      return batched[status.address.text] != time || status.lastSeen != time || !status.hasTimesOnly
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
  /// Returns the monitors with the times of their last measurements, including samples newer than their rows.
  func upToDate(_ monitors: [MonitorRecord], in database: Database) throws -> [MonitorRecord] {
    let told = Dictionary(
      monitors.compactMap { monitor in monitor.lastMeasurement.map { (monitor.address.text, $0) } },
      uniquingKeysWith: max)
    let found = try Self.lastMeasurements(after: told, in: database)
    return monitors.map { monitor in
      guard let told = monitor.lastMeasurement, let last = found[monitor.address.text] else { return monitor }
      var monitor = monitor
      monitor.lastMeasurement = max(told, last)
      monitor.lastSeen = max(last, monitor.lastSeen ?? last)
      return monitor
    }
  }

  /// Finds measurements in the gateway's last commits that are newer than the monitors' rows. Begins with the
  /// latest commits, which contain most monitors.
  /// - Parameter told: the times in the rows, by address.
  private static func lastMeasurements(
    after told: [String: Int64], in database: Database
  ) throws -> [String: Int64] {
    let times = told.compactMapValues { time in
      let (upTo, isFar) = time.addingReportingOverflow(2 * MeasurementTimes.interval)
      return isFar ? nil : time...upTo
    }
    guard let first = times.values.map(\.lowerBound).min(), let upTo = times.values.map(\.upperBound).max()
    else { return [:] }
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT id, start, end FROM batch INDEXED BY batch_start WHERE start BETWEEN ? AND ? AND end >= ?
        ORDER BY end DESC
        """,
      arguments: [HourSummary.start(ofHourOf: first), upTo, first])
    let reader = BlockReader(in: database)
    var last: [String: Int64] = [:]
    for row in rows {
      let (start, end): (Int64, Int64) = (try row.decode(atIndex: 1), try row.decode(atIndex: 2))
      let isWanted = times.contains { address, times in
        times.lowerBound <= end && start <= times.upperBound && last[address] ?? .min < end
      }
      // Skips a batch that cannot be read.
      guard isWanted, let blocks = try? reader.blocks(.batch(row.decode(atIndex: 0))) else { continue }
      for block in blocks {
        guard let address = block.address, let times = times[address] else { continue }
        for place in block.starts.indices where times.contains(block.end(at: place)) {
          last[address] = max(last[address] ?? .min, block.end(at: place))
        }
      }
    }
    return last
  }

  /// Writes the time of the last measurement to the monitor's row, before its batch is compacted or unpacked.
  static func noteMeasurement(_ block: StoredBlock, in database: Database) throws {
    guard let address = block.address else { return }
    try database.cachedStatement(
      sql: """
        UPDATE monitor SET last_measurement = max(last_measurement, ?1), last_seen = max(last_seen, ?1)
        WHERE address = ?2 AND last_measurement IS NOT NULL
        """
    ).execute(arguments: [block.header.end, address])
  }
}
