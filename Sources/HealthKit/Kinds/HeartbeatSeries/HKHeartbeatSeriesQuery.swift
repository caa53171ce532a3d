public import Foundation
import HealthStorage

/// A query that delivers the beats of a stored series to a handler.
// @unchecked: HKQuery is open. All state is `let`, Sendable or in a Mutex.
public final class HKHeartbeatSeriesQuery: HKQuery, @unchecked Sendable {
  /// The arguments are the query, the seconds since the start of the series, whether a gap precedes the beat,
  /// whether it is the last beat, and an error. If there is an error, ignore the other values.
  public typealias DataHandler =
    @Sendable (HKHeartbeatSeriesQuery, TimeInterval, Bool, Bool, (any Error)?) -> Void

  private let series: HKHeartbeatSeriesSample
  private let handler: DataHandler

  /// Creates a query for the beats of a series.
  /// - Parameter dataHandler: Called for each beat in order, or once with an error.
  @preconcurrency
  public init(heartbeatSeries: HKHeartbeatSeriesSample, dataHandler: @escaping DataHandler) {
    series = heartbeatSeries
    handler = dataHandler
    super.init(heartbeatSeries.sampleType, nil)
  }

  override func run(in store: HKHealthStore) async {
    do {
      let beats = try await store.heartbeats(of: series)
      for (index, beat) in beats.enumerated() {
        let isLast = index == beats.count - 1
        await deliver { self.handler(self, beat.timeIntervalSinceStart, beat.precededByGap, isLast, nil) }
      }
    } catch {
      await deliver { self.handler(self, 0, false, true, error) }
    }
  }
}

/// A query for the beats of a stored series.
public struct HKHeartbeatSeriesQueryDescriptor: Sendable {
  /// A heartbeat of a series.
  public struct Heartbeat: Equatable, Hashable, Sendable {
    /// Seconds since the start of the series, exactly as saved.
    public let timeIntervalSinceStart: TimeInterval
    /// Whether beats may be missing directly before this one. If so, the time since the previous beat is not
    /// an RR interval.
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

  /// Returns the beats in the order in which they were added. The first `next()` reads the whole series.
  public func results(for store: HKHealthStore) -> Results {
    Results { [sample] in try await store.heartbeats(of: sample) }
  }

  /// The beats of one series. Iterating throws `HKError` errorNoData if the series is not in the store.
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
  /// Returns the beats of a stored series.
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
