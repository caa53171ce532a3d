public import Foundation
public import HealthKit

/// A sample as it goes to an external store: with the values that a query leaves in the store.
public struct ExternalRecord: Sendable {
  /// What lies beside the sample.
  public enum Series: Sendable {
    case none
    /// Of an `HKHeartbeatSeriesSample`.
    case heartbeats([Heartbeat])
    /// Of a quantity series: each quantity in the sample's own unit.
    case quantities([MeasuredQuantity])
  }

  public struct Heartbeat: Hashable, Sendable {
    /// Seconds after the series' start.
    public let timeSinceStart: TimeInterval
    /// Beats are missing before this one.
    public let precededByGap: Bool

    public init(timeSinceStart: TimeInterval, precededByGap: Bool) {
      self.timeSinceStart = timeSinceStart
      self.precededByGap = precededByGap
    }
  }

  public struct MeasuredQuantity: Hashable, Sendable {
    public let value: Double
    public let interval: DateInterval

    public init(value: Double, interval: DateInterval) {
      self.value = value
      self.interval = interval
    }
  }

  public let sample: HKSample
  public let series: Series

  public init(sample: HKSample, series: Series = .none) {
    self.sample = sample
    self.series = series
  }
}
