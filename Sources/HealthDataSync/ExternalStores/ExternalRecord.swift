public import Foundation
public import HealthKit
import HealthStorage

/// A sample for an external store, with its beats or series quantities, which are not part of a query's
/// result.
public struct ExternalRecord: Sendable {
  /// The beats or quantities of a sample that is a series.
  public enum Series: Sendable {
    case none
    /// The beats of an `HKHeartbeatSeriesSample`.
    case heartbeats([Heartbeat])
    /// The quantities of a series in the sample's own unit.
    case quantities([MeasuredQuantity])
  }

  /// One beat of a heartbeat series.
  public struct Heartbeat: Hashable, Sendable {
    /// Seconds since the start of the series.
    public let timeSinceStart: TimeInterval
    /// Whether beats are missing before this one.
    public let precededByGap: Bool

    public init(timeSinceStart: TimeInterval, precededByGap: Bool) {
      self.timeSinceStart = timeSinceStart
      self.precededByGap = precededByGap
    }
  }

  /// One quantity of a quantity series.
  public struct MeasuredQuantity: Hashable, Sendable {
    public let value: Double
    /// The time that the quantity covers. The duration is 0 for an instantaneous value.
    public let interval: DateInterval

    public init(value: Double, interval: DateInterval) {
      self.value = value
      self.interval = interval
    }
  }

  /// The sample, with its metadata and source.
  public let sample: HKSample
  /// The beats or quantities of the sample, if it is a series.
  public let series: Series
  /// Whether an external store may contain an earlier version of the sample, because its metadata changed or
  /// the destination was reset. Metadata changes, for example, when the gateway's clock turns out to have
  /// been ahead.
  ///
  /// If `true`, this record replaces whatever the external store has under the sample's UUID. If `false`, an
  /// existing record is identical and can be kept. The value may be `true` for samples that were never sent.
  /// It is still `true` if the record is sent again.
  public let supersedes: Bool
  /// Whether the sample is one of the two values of a blood pressure that is also sent to the destination. A
  /// store that receives blood pressures as a whole can skip it.
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

extension ExternalRecord {
  /// Creates the record of a sample.
  ///
  /// - Parameter sample: A sample from the change log or from a query. A sample from a query has no series
  ///   quantities.
  init(_ sample: HKSample, supersedes: Bool, isInBloodPressure: Bool = false) {
    self.init(
      sample: sample, series: Series(of: sample), supersedes: supersedes,
      isInBloodPressure: isInBloodPressure)
  }
}

extension ExternalRecord.Series {
  fileprivate init(of sample: HKSample) {
    switch sample {
    case let series as HKHeartbeatSeriesSample:
      self =
        series.heartbeats.map { beats in
          .heartbeats(
            beats.map { .init(timeSinceStart: $0.timeIntervalSinceStart, precededByGap: $0.precededByGap) })
        } ?? .none
    case let quantity as HKQuantitySample:
      self =
        quantity.seriesQuantities.map { quantities in
          .quantities(quantities.map { .init(value: $0.value, interval: $0.dateInterval) })
        } ?? .none
    default: self = .none
    }
  }
}

/// The person whose data is sent, and the gateway that sends it. They distinguish the data of several
/// gateways in one database.
public struct ExternalIdentity: Hashable, Sendable {
  /// The name of the person.
  public let person: String
  /// The name of the gateway, such as the host name. It need not be unique.
  public let gateway: String
  /// The unique ID of the gateway. For a sync destination, this is the identity of the health store. It is
  /// `nil` if the name alone identifies the gateway.
  public let gatewayID: String?

  /// Creates an identity.
  ///
  /// - Parameter gatewayID: The unique ID. When a destination is added, it is replaced with the identity of
  ///   the store.
  public init(person: String, gateway: String, gatewayID: String? = nil) {
    self.person = person
    self.gateway = gateway
    self.gatewayID = gatewayID
  }

  /// The key that identifies the gateway in external stores. It is unique even if names are not.
  package var gatewayKey: String { gatewayID ?? gateway }
}
