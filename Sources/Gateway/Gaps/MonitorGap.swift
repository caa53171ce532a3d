public import Bluetooth
import HealthStorage
import Ingestion

/// A period in which nothing arrived from a monitor.
public struct MonitorGap: Sendable, Hashable {
  public var monitor: BluetoothAddress
  /// Receipt time of the last measurement before the gap. If the run had none, the time of the event that
  /// started the gap.
  public var start: ReceiptTime
  /// Receipt time of the first measurement after the gap; `nil` while the gap is open.
  public var end: ReceiptTime?
  /// The first cause of the gap. Later causes are not recorded.
  public var cause: GapCause
  /// The number of measurements that arrived and could not be stored; `nil` if none are known.
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
  /// - Returns: `nil` if this version cannot read the address in the row.
  init?(_ record: MonitorGapRecord) {
    guard let monitor = BluetoothAddress(record.monitor) else { return nil }
    let gap = GapDraft(record)
    self.init(monitor: monitor, start: gap.start, end: gap.end, cause: gap.cause, lost: gap.lost)
  }
}
