import Bluetooth
import PacketLog

/// Detects times in a log that a correct clock cannot have shown.
struct RecordTimes {
  /// Minimum step back in microseconds that counts as a clock change. Recorders write packets of the two
  /// directions slightly out of order.
  static let leastStepBack: Int64 = 1_000_000
  /// Minimum step ahead in microseconds, while a link is open, that is reported: ten minutes. Links without
  /// any traffic for that long are rare.
  static let leastStepAhead: Int64 = 600_000_000

  private let latestPlausible: ReceiptTime
  private var latest: (interface: UInt32, time: ReceiptTime)?
  /// The latest times of the section's other interfaces. Each interface may have its own clock.
  private var others: [UInt32: ReceiptTime] = [:]

  init(latestPlausible: ReceiptTime) { self.latestPlausible = latestPlausible }

  /// Counts a record and any implausibility of its time.
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

  /// Starts a section, which may have another clock.
  private mutating func beginSection() {
    latest = nil
    others.removeAll()
  }

  /// Returns the time of the previous record on the same interface, which is not the interface of the latest
  /// record.
  private mutating func previous(of record: PacketLogRecord) -> ReceiptTime? {
    if let latest { others[latest.interface] = latest.time }
    return others[record.interface.number]
  }
}
