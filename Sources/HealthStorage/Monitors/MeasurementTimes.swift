import GRDB
import Synchronization

/// When monitors last measured, as their rows say it.
///
/// It is left to the samples of the last commits to say it, and written into a monitor's row only now and
/// then: eight rows a commit would cost more than all that was measured. What a recording holds is in no
/// batch.
final class MeasurementTimes: Sendable {
  /// Minimum time between two writes of a monitor's row, in microseconds. After a kill the time of the last
  /// measurement is read from the samples.
  static let interval: Int64 = 60_000_000

  private let written = Mutex<[AddressRecord: Int64]>([:])

  /// Those of a commit's statuses that say more than the samples say that are stored with them.
  /// - Parameter batched: by the address of a monitor, when the last sample of the commit's batch ends.
  func toWrite(_ statuses: [MonitorStatusRecord], by batched: [String: Int64]) -> [MonitorStatusRecord] {
    let written = written.withLock(\.self)
    return statuses.filter { status in
      guard let time = status.lastMeasurement, let before = written[status.address],
        (0..<Self.interval).contains(time - before)
      else { return true }
      return batched[status.address.text] != time || status.lastSeen != time || !status.hasTimesOnly
    }
  }

  /// What was to be written is committed.
  func note(_ statuses: [MonitorStatusRecord]) {
    written.withLock { written in
      for status in statuses {
        if let time = status.lastMeasurement { written[status.address] = time }
      }
    }
  }
}

extension SampleDatabase {
  /// Brings up to date when monitors last measured.
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

  /// When monitors measured what is in the gateway's last commits, as far as their rows may not say it. The
  /// latest ones say it of most.
  /// - Parameter told: by their addresses, what the rows say.
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
      // One that cannot be read says nothing.
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

  /// Writes into its row what a monitor's samples told, before they are in a batch no more.
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
