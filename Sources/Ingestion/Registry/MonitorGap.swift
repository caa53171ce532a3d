public import Bluetooth
public import BluetoothCentral
import HealthKit

/// A time in which nothing that a monitor sent arrived.
public struct MonitorGap: Sendable, Hashable {
  public var monitor: BluetoothAddress
  /// The receipt of the last measurement before it; where the run had none, the time of the event that began it.
  public var start: ReceiptTime
  /// The receipt of the first measurement after it; `nil` while it lasts.
  public var end: ReceiptTime?
  /// What began it; what came to it before its end is not told.
  public var cause: GapCause
  /// Measurements that arrived and were let go; `nil` where nothing is known to have arrived.
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
  /// - Returns: `nil` for an entry whose address this version cannot read. A cause that it does not know is `.unknown`.
  init?(_ entry: MonitorGapEntry) {
    guard let monitor = BluetoothAddress(entry.monitor) else { return nil }
    self.init(
      monitor: monitor, start: ReceiptTime(microsecondsSince1970: entry.start),
      end: entry.end.map(ReceiptTime.init(microsecondsSince1970:)),
      cause: GapCause(rawValue: entry.cause) ?? .unknown, lost: entry.lost)
  }

  var entry: MonitorGapEntry {
    MonitorGapEntry(
      monitor: MonitorAddress(monitor), start: start.microsecondsSince1970, end: end?.microsecondsSince1970,
      cause: cause.rawValue, lost: lost)
  }
}
