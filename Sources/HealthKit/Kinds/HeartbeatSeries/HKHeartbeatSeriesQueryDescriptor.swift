public import Foundation
import HealthStorage

/// Asks for the beats of a stored series.
public struct HKHeartbeatSeriesQueryDescriptor: Sendable {
  /// One beat.
  public struct Heartbeat: Equatable, Hashable, Sendable {
    /// Seconds since the start of the series, exactly as they were saved.
    public let timeIntervalSinceStart: TimeInterval
    /// Whether beats may be missing just before this one: then the time since the one before is no RR
    /// interval.
    public let precededByGap: Bool

    package init(timeIntervalSinceStart: TimeInterval, precededByGap: Bool) {
      self.timeIntervalSinceStart = timeIntervalSinceStart
      self.precededByGap = precededByGap
    }
  }

  public var sample: HKHeartbeatSeriesSample

  public init(_ sample: HKHeartbeatSeriesSample) {
    self.sample = sample
  }

  /// The beats in the order in which they were added. The first `next()` reads the series.
  public func results(for store: HKHealthStore) -> Results {
    Results { [sample] in try await store.heartbeats(of: sample) }
  }

  /// The beats of one series. Throws errorNoData if it is not in the store.
  public struct Results: AsyncSequence, Sendable {
    fileprivate let load: @Sendable () async throws -> [Heartbeat]

    public func makeAsyncIterator() -> Iterator {
      Iterator(beats: LoadedList(load))
    }

    public struct Iterator: AsyncIteratorProtocol {
      fileprivate var beats: LoadedList<Heartbeat>

      public mutating func next() async throws -> Heartbeat? {
        try await beats.next()
      }
    }
  }
}

extension HKHealthStore {
  /// The beats of a stored series.
  func heartbeats(of series: HKHeartbeatSeriesSample) async throws -> [HKHeartbeatSeriesQueryDescriptor
    .Heartbeat]
  {
    try await HKError.translating {
      guard let beats = try await admit(.read([series.sampleType])).heartbeats(of: series.uuid) else {
        throw HKError(.errorNoData, reason: "the heartbeat series is not in the store")
      }
      return beats.map {
        HKHeartbeatSeriesQueryDescriptor.Heartbeat(
          timeIntervalSinceStart: $0.offset, precededByGap: $0.precededByGap)
      }
    }
  }
}
