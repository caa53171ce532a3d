public import Bluetooth
import HealthStorage
import Ingestion

/// A period without measurements from a monitor.
public struct MonitorGap: Sendable, Hashable {
  public var monitor: BluetoothAddress
  /// The receipt time of the last measurement before the gap. If there was no measurement in this run, the
  /// time of the event that started the gap.
  public var start: ReceiptTime
  /// The receipt time of the first measurement after the gap; `nil` until a measurement arrives.
  public var end: ReceiptTime?
  /// The first cause of the gap. Later causes are not recorded.
  public var cause: GapCause
  /// The number of measurements that arrived but could not be stored; `nil` if unknown.
  public var lost: Int?

  public init(
    monitor: BluetoothAddress, start: ReceiptTime, end: ReceiptTime? = nil, cause: GapCause, lost: Int? = nil
  ) {
    self.monitor = monitor
    self.start = start
    self.end = end
    self.cause = cause
    self.lost = lost
  }
}

extension MonitorGap {
  /// Creates a gap from a stored record.
  /// - Returns: `nil` if this version does not know the record's address type.
  init?(_ record: MonitorGapRecord) {
    guard let monitor = BluetoothAddress(record.monitor) else { return nil }
    let gap = GapDraft(record)
    self.init(monitor: monitor, start: gap.start, end: gap.end, cause: gap.cause, lost: gap.lost)
  }
}
