import Bluetooth
import Gateway

/// The last intervals between a monitor's beats, for whoever draws them as they come. Where they stand in
/// time exactly, and which of them belong together, is found when they are stored.
struct RecentBeats: Sendable, Hashable {
  /// Ten seconds of a heart at its fastest: whoever is told five times a second misses none.
  static let most = 32

  /// Seconds, oldest first.
  var intervals: [Double] { kept.suffix(Self.most) }

  /// Twice as many at most, so that not each one that comes moves the others.
  private var kept: [Double] = []
  /// How many came in this run, those that are no longer kept among them.
  private(set) var count: UInt64 = 0
  /// When the last of them was received.
  private(set) var received: ReceiptTime?

  /// What is measured without skin, or without a pulse, is no beat: nothing of it is stored, either.
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
