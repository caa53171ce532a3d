import Bluetooth
import PacketLog

/// Looks for times in a log that no clock which is right can have shown.
struct RecordTimes {
  /// A step back by more than this, in microseconds, is one of the clock. Recorders write packets of two
  /// directions a little out of order.
  static let leastStepBack: Int64 = 1_000_000
  /// A step ahead by more than this, in microseconds, while a link is open, is told: ten minutes. A link
  /// without any traffic for so long is rare.
  static let leastStepAhead: Int64 = 600_000_000

  private let latestPlausible: ReceiptTime
  private var latest: (interface: UInt32, time: ReceiptTime)?
  /// The times of other interfaces of the section: each may have its own clock.
  private var others: [UInt32: ReceiptTime] = [:]

  init(latestPlausible: ReceiptTime) { self.latestPlausible = latestPlausible }

  /// Counts one record, and what is implausible about its time.
  ///
  /// - Parameter isConnected: A link is open.
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

  /// A section is a recording of its own, or goes on with the one before.
  private mutating func beginSection() {
    latest = nil
    others.removeAll()
  }

  /// The time of the record before this one on its interface, which is another than that of the latest record.
  private mutating func previous(of record: PacketLogRecord) -> ReceiptTime? {
    if let latest { others[latest.interface] = latest.time }
    return others[record.interface.number]
  }
}
