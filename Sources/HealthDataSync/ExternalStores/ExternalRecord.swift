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
  /// Whether an external store may hold the sample as it was before: its metadata was changed since it was
  /// stored (a clock turned out to have been ahead), or the destination was reset.
  ///
  /// What the external store holds under the sample's UUID, if anything, is then to be replaced by this;
  /// otherwise it is the same, and can stay. It is true of some samples that were never sent, and true again
  /// when a page comes again.
  public let supersedes: Bool
  /// Whether the sample is one of the two values of a blood pressure that goes to the destination as well. A
  /// store that sends a blood pressure as a whole has the value there already.
  public let isInBloodPressure: Bool

  public init(
    sample: HKSample, series: Series = .none, supersedes: Bool = false, isInBloodPressure: Bool = false
  ) {
    self.sample = sample
    self.series = series
    self.supersedes = supersedes
    self.isInBloodPressure = isInBloodPressure
  }
}
