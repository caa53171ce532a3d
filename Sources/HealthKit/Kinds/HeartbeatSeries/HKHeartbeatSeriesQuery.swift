public import Foundation

/// Asks for the beats of a stored series, in the style of completion handlers.
// @unchecked: as for HKQuery.
public final class HKHeartbeatSeriesQuery: HKQuery, @unchecked Sendable {
  /// Seconds since the start, whether a gap precedes, whether this was the last beat. With an error the other
  /// values mean nothing.
  public typealias DataHandler =
    @Sendable (HKHeartbeatSeriesQuery, TimeInterval, Bool, Bool, (any Error)?) -> Void

  private let series: HKHeartbeatSeriesSample
  private let handler: DataHandler

  /// - Parameter dataHandler: called for each beat in order, or once with an error.
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
