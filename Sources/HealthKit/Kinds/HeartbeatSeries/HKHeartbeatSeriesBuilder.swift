public import Foundation
import HealthStorage
import Synchronization

/// Gathers heartbeats and saves them as one series. What was gathered is lost if the process ends before
/// `finishSeries`.
///
/// A beat that is refused ends the builder, as does finishing or discarding: everything after that throws
/// errorInvalidArgument. A series that could not be saved can be finished again.
// @unchecked: as for HKSeriesBuilder.
public final class HKHeartbeatSeriesBuilder: HKSeriesBuilder, @unchecked Sendable {
  /// The greatest number of beats in one series: about half a day at rest.
  public class var maximumCount: Int { 65_536 }

  private let store: HKHealthStore
  private let device: HKDevice?
  private let start: Date
  private let gathering = Mutex(SeriesGathering(Gathering()))

  /// What a usable builder holds.
  private struct Gathering: Sendable {
    var beats: [HKHeartbeatSeriesQueryDescriptor.Heartbeat] = []
    var metadata: [String: MetadataValue] = [:]
  }

  /// - Parameter start: the moment from which the beats' intervals count.
  public init(healthStore: HKHealthStore, device: HKDevice?, start: Date) {
    store = healthStore
    self.device = device
    self.start = start
    super.init()
  }

  /// - Parameters:
  ///   - interval: seconds since the start of the series, finite and not negative. 0 is accepted: a series
  ///     may start with its first beat.
  ///   - precededByGap: whether beats may be missing just before this one.
  public func addHeartbeat(at interval: TimeInterval, precededByGap: Bool) async throws {
    try add(interval, precededByGap)
  }

  /// Adds to the metadata; of a key that is given twice the later value counts. After an error the metadata
  /// is as it was.
  public func addMetadata(_ metadata: [String: Any]) async throws {
    try add(metadata)
  }

  /// Saves the series. After an error the builder is as it was.
  /// - Returns: the series, of which the store holds the beats.
  /// - Throws: `HKError`, errorInvalidArgument if there are no beats; otherwise as `HKHealthStore.save(_:)`.
  public func finishSeries() async throws -> HKHeartbeatSeriesSample {
    let gathered = try gathering.withLock { gathering throws(HKError) in try gathering.beginFinishing() }
    do {
      let series = try series(gathered)
      try await store.save(series)
      discard()
      return series
    } catch {
      gathering.withLock { $0.finishFailed() }
      throw error
    }
  }

  public override func discard() {
    gathering.withLock { $0.end() }
  }

  private func series(_ gathered: Gathering) throws(HKError) -> HKHeartbeatSeriesSample {
    do {
      let metadata = gathered.metadata.isEmpty ? nil : try ObjectMetadata(checking: gathered.metadata)
      return try HKHeartbeatSeriesSample(
        uuid: .timeOrdered(), start: start, beats: gathered.beats, device: device, metadata: metadata)
    } catch {
      throw HKError(invalid: error)
    }
  }

  private func add(_ interval: TimeInterval, _ precededByGap: Bool) throws(HKError) {
    try gathering.withLock { gathering throws(HKError) in
      var isRefused = false
      try gathering.change { content throws(HKError) in
        isRefused = !(interval >= 0 && interval.isFinite && content.beats.count < Self.maximumCount)
        guard !isRefused else { return }
        content.beats.append(.init(timeIntervalSinceStart: interval, precededByGap: precededByGap))
      }
      guard isRefused else { return }
      gathering.end()
      throw HKError(
        .errorInvalidArgument,
        reason: "a heartbeat needs a finite interval that is not negative, and a series holds no more than "
          + "\(Self.maximumCount)")
    }
  }

  private func add(_ metadata: [String: Any]) throws(HKError) {
    let values = try MetadataValue.values(metadata)
    try gathering.withLock { gathering throws(HKError) in
      try gathering.change { content throws(HKError) in content.metadata.merge(values) { $1 } }
    }
  }
}

// MARK: - Completion handlers

extension HKHeartbeatSeriesBuilder {
  /// As `addHeartbeat(at:precededByGap:)`. The beats keep the order of the calls.
  @preconcurrency
  public func addHeartbeatWithTimeInterval(
    sinceSeriesStartDate interval: TimeInterval, precededByGap: Bool,
    completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    let result = Result { () throws(HKError) in try add(interval, precededByGap) }
    report(result, to: completion)
  }

  /// As `addMetadata(_:)`.
  @preconcurrency
  public func addMetadata(
    _ metadata: [String: Any], completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    let result = Result { () throws(HKError) in try add(metadata) }
    report(result, to: completion)
  }

  /// As `finishSeries()`.
  @preconcurrency
  public func finishSeries(
    completion: @escaping @Sendable (HKHeartbeatSeriesSample?, (any Error)?) -> Void
  ) {
    // A completion handler has no task to be a child of.
    Task {
      do {
        completion(try await finishSeries(), nil)
      } catch {
        completion(nil, error)
      }
    }
  }
}
