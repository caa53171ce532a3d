import GRDB
import Synchronization

/// When monitors last measured, as their rows say it.
///
/// It is left to the samples of the last commits to say it, and written into a monitor's row only now and
/// then: eight rows a commit would cost more than all that was measured. What a recording holds is in no
/// batch.
final class MeasurementTimes: Sendable {
  /// So long after the last time a row is written again, in microseconds.
  static let interval: Int64 = 10_000_000

  private let written = Mutex<[AddressRecord: Int64]>([:])

  /// Whether a status says nothing but what the samples say that are stored with it. To be asked of each,
  /// which is written otherwise.
  /// - Parameter batched: by the address of a monitor, when the last sample of this commit's batch ends.
  func areTold(_ status: MonitorStatusRecord, by batched: [String: Int64]) -> Bool {
    guard let time = status.lastMeasurement else { return false }
    return written.withLock { written in
      if let before = written[status.address], (0..<Self.interval).contains(time - before),
        batched[status.address.text] == time, status.lastSeen == time, status.hasTimesOnly
      {
        return true
      }
      written[status.address] = time
      return false
    }
  }

  /// What was to be written was not: then all is written the next time.
  func forget() { written.withLock { $0.removeAll() } }
}

extension SampleDatabase {
  /// Brings up to date when a monitor last measured.
  func upToDate(_ monitor: MonitorRecord, in database: Database) throws -> MonitorRecord {
    guard let told = monitor.lastMeasurement else { return monitor }
    let (upTo, isFar) = told.addingReportingOverflow(2 * MeasurementTimes.interval)
    guard !isFar,
      let last = try Self.lastMeasurement(ofMonitor: monitor.address.text, during: told...upTo, in: database)
    else { return monitor }
    var monitor = monitor
    monitor.lastMeasurement = max(told, last)
    monitor.lastSeen = max(last, monitor.lastSeen ?? last)
    return monitor
  }

  /// When a monitor measured what is in the gateway's last commits.
  private static func lastMeasurement(
    ofMonitor address: String, during times: ClosedRange<Int64>, in database: Database
  ) throws -> Int64? {
    let rows = try Int64.fetchAll(
      database,
      sql: "SELECT id FROM batch INDEXED BY batch_start WHERE start BETWEEN ? AND ? AND end >= ?",
      arguments: [HourSummary.start(ofHourOf: times.lowerBound), times.upperBound, times.lowerBound])
    let reader = BlockReader(in: database)
    var last: Int64?
    for id in rows {
      // One that cannot be read says nothing.
      for block in (try? reader.blocks(.batch(id))) ?? [] where block.address == address {
        for place in block.starts.indices where times.contains(block.end(at: place)) {
          last = max(last ?? .min, block.end(at: place))
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
