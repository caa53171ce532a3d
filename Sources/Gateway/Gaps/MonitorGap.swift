public import Bluetooth
import HealthStorage
import Ingestion

/// A time in which nothing that a monitor sent arrived.
public struct MonitorGap: Sendable, Hashable {
  public var monitor: BluetoothAddress
  /// The receipt of the last measurement before it; if the run had none, the time of the event that began it.
  public var start: ReceiptTime
  /// The receipt of the first measurement after it; `nil` while it lasts.
  public var end: ReceiptTime?
  /// What began it. Later causes are not recorded.
  public var cause: GapCause
  /// Measurements that arrived and could not be kept; `nil` if none are known to have arrived.
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
  /// - Returns: `nil` for a row whose address this version cannot read.
  init?(_ record: MonitorGapRecord) {
    guard let monitor = BluetoothAddress(record.monitor) else { return nil }
    let gap = GapDraft(record)
    self.init(monitor: monitor, start: gap.start, end: gap.end, cause: gap.cause, lost: gap.lost)
  }
}
