public import Bluetooth

/// The last RR intervals of a monitor, for a live display. The exact times of the beats are computed when
/// they are stored.
public struct RecentBeats: Sendable, Hashable {
  /// Maximum number of ``intervals``: ten seconds of the fastest heart rate.
  public static let most = 32

  /// The intervals in seconds, oldest first.
  public var intervals: [Double] { kept.suffix(Self.most) }

  /// Up to twice ``most`` intervals, so that old ones need not be removed each time one is added.
  private var kept: [Double] = []
  /// The total number of intervals in this run.
  public private(set) var count: UInt64 = 0
  /// When the last interval was received.
  public private(set) var received: ReceiptTime?

  /// Adds the intervals of a measurement. Measurements without skin contact or heart rate are skipped,
  /// because they are not stored either.
  mutating func add(_ measurement: LiveMeasurement) {
    guard measurement.hasContact != false, measurement.heartRate > 0, !measurement.intervals.isEmpty else {
      return
    }
    kept.append(contentsOf: measurement.intervals)
    if kept.count > 2 * Self.most { kept.removeFirst(kept.count - Self.most) }
    count += UInt64(measurement.intervals.count)
    received = measurement.receiptTime
  }
}

extension RecentBeats: Codable {
  private enum CodingKeys: CodingKey {
    case intervals, count, received
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(intervals, forKey: .intervals)
    try container.encode(count, forKey: .count)
    try container.encodeIfPresent(received, forKey: .received)
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    kept = Array(try container.decode([Double].self, forKey: .intervals).suffix(Self.most))
    count = try container.decode(UInt64.self, forKey: .count)
    received = try container.decodeIfPresent(ReceiptTime.self, forKey: .received)
  }
}
