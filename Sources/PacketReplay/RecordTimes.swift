import Bluetooth
import PacketLog

/// Detects wrong times in a log, caused by a recorder's clock that was wrong or was set.
struct RecordTimes {
  /// Minimum step back, in microseconds, that counts as a clock change. Smaller steps are normal, because
  /// recorders write packets of the two directions slightly out of order.
  static let leastStepBack: Int64 = 1_000_000
  /// Minimum step ahead, in microseconds, that is counted while a link is open: ten minutes. Links rarely
  /// have no traffic for that long.
  static let leastStepAhead: Int64 = 600_000_000

  private let latestPlausible: ReceiptTime
  private var latest: (interface: UInt32, time: ReceiptTime)?
  /// The latest times of the section's other capture interfaces. Each interface may have its own clock.
  private var others: [UInt32: ReceiptTime] = [:]

  init(latestPlausible: ReceiptTime) { self.latestPlausible = latestPlausible }

  /// Counts a record, and counts its time if it is implausible.
  /// - Parameter isConnected: Whether a link is open.
  @inline(__always)
  mutating func read(_ record: PacketLogRecord, isConnected: Bool, _ tally: inout ReplayTally) {
    switch record.content {
    case .lost: return
    case .section: return beginSection()
    default: tally.records += 1
    }
    if tally.firstTime == nil { tally.firstTime = record.time }
    tally.lastTime = record.time
    guard record.hasWallTime else {
      tally.recordsWithoutWallTime += 1
      return
    }
    guard record.time >= ReplayTally.earliestPlausible, record.time <= latestPlausible else {
      return tally.countImplausible(record.time)
    }
    let before = latest?.interface == record.interface.number ? latest?.time : previous(of: record)
    latest = (record.interface.number, record.time)
    guard let before else { return }
    let step = record.time.microseconds(since: before)
    if step < -Self.leastStepBack { tally.clockStepsBack.count(-step) }
    if step > Self.leastStepAhead, isConnected { tally.clockStepsAhead.count(step) }
  }

  /// Handles the start of a section, which may have a different clock.
  private mutating func beginSection() {
    latest = nil
    others.removeAll()
  }

  /// Returns the latest time of the record's interface. Called if the previous record was on a different
  /// interface.
  private mutating func previous(of record: PacketLogRecord) -> ReceiptTime? {
    if let latest { others[latest.interface] = latest.time }
    return others[record.interface.number]
  }
}
