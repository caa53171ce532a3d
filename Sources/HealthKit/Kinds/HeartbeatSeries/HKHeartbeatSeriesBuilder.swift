public import Foundation
import HealthStorage
import Synchronization

/// A builder that collects heartbeats and saves them as one series.
///
/// If the process ends before `finishSeries`, the collected heartbeats are lost. After an invalid heartbeat
/// was added, or the series was finished or discarded, every call throws errorInvalidArgument. If saving
/// fails, `finishSeries` can be called again.
// @unchecked: HKSeriesBuilder is not final. All state is `let`, Sendable or in a Mutex.
public final class HKHeartbeatSeriesBuilder: HKSeriesBuilder, @unchecked Sendable {
  /// Maximum number of beats in one series: about 18 hours at 60 beats per minute.
  public class var maximumCount: Int { 65_536 }

  private let store: HKHealthStore
  private let device: HKDevice?
  private let start: Date
  private let gathering = Mutex(SeriesGathering(Gathering()))

  /// The heartbeats and metadata collected so far.
  private struct Gathering: Sendable {
    var beats: [HKHeartbeatSeriesQueryDescriptor.Heartbeat] = []
    var metadata: [String: MetadataValue] = [:]
  }

  /// Creates a builder that saves into a store.
  /// - Parameter start: The start of the series, to which the intervals of the beats are relative.
  public init(healthStore: HKHealthStore, device: HKDevice?, start: Date) {
    store = healthStore
    self.device = device
    self.start = start
    super.init()
  }

  /// Adds a heartbeat.
  /// - Parameters:
  ///   - interval: Seconds since the start of the series; finite and not negative. 0 is valid: a series may
  ///     start with its first beat.
  ///   - precededByGap: Whether beats may be missing directly before this one.
  public func addHeartbeat(at interval: TimeInterval, precededByGap: Bool) async throws {
    try add(interval, precededByGap)
  }

  /// Adds metadata. If a key is added twice, the later value wins. If an error is thrown, the metadata is
  /// unchanged.
  public func addMetadata(_ metadata: [String: Any]) async throws {
    try add(metadata)
  }

  /// Saves the series. If that fails, the builder is unchanged.
  /// - Returns: The series, without its beats, which are in the store.
  /// - Throws: `HKError` errorInvalidArgument if there are no beats; otherwise the errors of
  ///   `HKHealthStore.save(_:)`.
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
  /// Completion-handler version of `addHeartbeat(at:precededByGap:)`. Beats are added in the order of the
  /// calls.
  @preconcurrency
  public func addHeartbeatWithTimeInterval(
    sinceSeriesStartDate interval: TimeInterval, precededByGap: Bool,
    completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    let result = Result { () throws(HKError) in try add(interval, precededByGap) }
    report(result, to: completion)
  }

  /// Completion-handler version of `addMetadata(_:)`.
  @preconcurrency
  public func addMetadata(
    _ metadata: [String: Any], completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    let result = Result { () throws(HKError) in try add(metadata) }
    report(result, to: completion)
  }

  /// Completion-handler version of `finishSeries()`.
  @preconcurrency
  public func finishSeries(
    completion: @escaping @Sendable (HKHeartbeatSeriesSample?, (any Error)?) -> Void
  ) {
    // Start an unstructured task, because this function is not async.
    Task {
      do {
        completion(try await finishSeries(), nil)
      } catch {
        completion(nil, error)
      }
    }
  }
}
