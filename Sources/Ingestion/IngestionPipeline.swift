public import Bluetooth
public import HealthKit
import HealthStorage

/// Stores the notifications of a finite source that can wait: a recording or a simulation.
///
/// The source is read only as fast as its measurements are stored, and an error of the store ends the run.
/// For a source that cannot wait, such as the radio, use `Gateway`.
public struct IngestionPipeline {
  /// Maximum number of samples in a commit: hours of many straps. It is large because each commit writes
  /// compressed segments, and fewer, larger ones take less space in total.
  static let batchSize = 131_072
  /// Maximum time that a sample waits for a commit. If the process is killed while reading a slow source, the
  /// samples of this period are lost.
  static let timeout = Duration.seconds(2)

  /// Where samples are written.
  private enum Destination {
    case store(HKHealthStore)
    case rehearsal(Rehearsal)
    /// Nowhere: samples are only counted.
    case nowhere

    var isNowhere: Bool { if case .nowhere = self { true } else { false } }

    /// The store that may already contain some of the samples; `nil` if no store does.
    var store: HKHealthStore? {
      switch self {
      case .store(let store): store
      case .rehearsal(let rehearsal): rehearsal.store
      case .nowhere: nil
      }
    }
  }

  private let destination: Destination
  private let now: @Sendable () -> ContinuousClock.Instant
  private var intake = EventIntake()
  private var writer: SampleWriter
  /// When the first uncommitted sample arrived.
  private var waitingSince: ContinuousClock.Instant?
  /// Whether the next source continues the last one, for example as the next file of a recording.
  private var goesOn = false

  /// - Parameter store: The store with full access; `nil` to process everything but store nothing.
  public init(store: HKHealthStore?) { self.init(store: store, now: { .now }) }

  /// Creates a pipeline that stores nothing, but counts what the store would accept.
  public init(rehearsing rehearsal: Rehearsal) { self.init(.rehearsal(rehearsal), now: { .now }) }

  /// - Parameter now: Returns the current time, for ``timeout``.
  init(store: HKHealthStore?, now: @escaping @Sendable () -> ContinuousClock.Instant) {
    self.init(store.map(Destination.store) ?? .nowhere, now: now)
  }

  private init(_ destination: Destination, now: @escaping @Sendable () -> ContinuousClock.Instant) {
    self.destination = destination
    self.now = now
    writer = SampleWriter(storesNothing: destination.isNowhere)
  }

  /// Reads a source to its end and stores its measurements.
  ///
  /// Several sources can be read one after the other. Descriptions of monitors are carried over to the next
  /// source.
  ///
  /// - Parameters:
  ///   - isContinued: Called at the end of the source. Returns whether the next source continues this one,
  ///     for example as the next file of a recording. If so, heartbeat series continue too. Measurements are
  ///     committed in any case.
  ///   - progress: Called repeatedly with the counts so far.
  /// - Returns: The counts, and the error that ended the run before the end of the source. Samples counted as
  ///   stored are in the store even after an error.
  public mutating func run(
    _ central: some Central, isContinued: () -> Bool = { false },
    progress: (IngestionTally) -> Void = { _ in }
  ) async -> (tally: IngestionTally, failure: (any Error)?) {
    var failure: (any Error)?
    do {
      try await begin()
      for try await events in central.events() {
        try await take(events)
        progress(intake.tally)
      }
    } catch {
      failure = error
    }
    return await end(after: failure, isContinued: failure == nil && isContinued())
  }

  // MARK: - Steps of a run

  /// The number of received measurements in this run.
  var measurements: Int { intake.tally.measurements }

  /// Prepares for the next source, which may continue the previous one.
  mutating func begin() async throws {
    if !goesOn { try await resetSessions() }
  }

  /// Processes events.
  ///
  /// - Throws: The store's error.
  mutating func take(_ events: [CentralEvent]) async throws {
    var taken = 0
    while taken < events.count {
      taken += intake.receive(events.span.extracting(taken..<events.count))
      try drain()
    }
    if isBatchDue() { try await flush() }
  }

  /// Commits the remaining samples.
  ///
  /// - Returns: The counts, and the first error of the run.
  mutating func end(
    after earlier: (any Error)?, isContinued: Bool
  ) async -> (tally: IngestionTally, failure: (any Error)?) {
    var failure = earlier
    goesOn = isContinued
    do {
      if goesOn { intake.pause() } else { intake.end() }
      try drain()
      try await flush()
    } catch {
      failure = failure ?? error
    }
    return (intake.drainSummary(), failure)
  }

  /// Starts from scratch. In particular, equal measurement frames with the same time are numbered from 0, so
  /// that reading the same recording again results in the same sample UUIDs.
  private mutating func resetSessions() async throws {
    var openGaps: [MonitorGapRecord] = []
    if case .store(let store) = destination { openGaps = try await Self.openGaps(in: store) }
    let settings = try await Self.settings(in: destination.store)
    intake = EventIntake(
      known: .init(openGaps: openGaps, described: intake.descriptions, settings: settings))
    let latest = try await destination.store?.latestStart(of: SampleTypes.heartRate)
    writer = SampleWriter(
      storesNothing: destination.isNowhere,
      earlierUntil: latest.map { ReceiptTime(microsecondsSince1970: $0) })
  }

  private static func openGaps(in store: HKHealthStore) async throws -> [MonitorGapRecord] {
    var filter = MonitorGapFilter()
    filter.isOpen = true
    return try await HKError.translating { try await store.systemDatabase().gaps(filter) }
  }

  /// Reads the user's settings for monitors, which also apply to recordings.
  private static func settings(
    in store: HKHealthStore?
  ) async throws -> [PeripheralIdentity: MonitorSettings] {
    guard let store else { return [:] }
    let monitors = try await HKError.translating { try await store.systemDatabase().monitors() }
    return monitors.reduce(into: [:]) { settings, monitor in
      guard let address = BluetoothAddress(monitor.address) else { return }
      settings[.address(address)] = monitor.settings
    }
  }

  private mutating func drain() throws {
    if let failure = intake.drain(into: &writer) { throw failure }
  }

  /// Returns whether a commit is due, because there are enough samples or one has waited long enough.
  private mutating func isBatchDue() -> Bool {
    guard writer.count > 0 else { return false }
    let now = now()
    let since = waitingSince ?? now
    waitingSince = since
    return writer.count >= Self.batchSize || now - since >= Self.timeout
  }

  /// Commits all pending samples.
  ///
  /// - Throws: The store's error. The measurements that were not stored then count as
  ///   ``Rejection/storeFailed``.
  private mutating func flush() async throws {
    waitingSince = nil
    while var batch = writer.drainBatch() {
      batch.changes.isRecorded = true
      do {
        switch destination {
        case .store(let store): intake.tally.add(try await batch.save(to: store, as: .segments))
        case .rehearsal(let rehearsal): intake.tally.add(try await batch.rehearse(in: rehearsal))
        case .nowhere: break
        }
      } catch {
        intake.tally.rejected[.storeFailed, default: 0] += batch.heartRates
        throw error
      }
    }
  }
}

/// The identifiers of the sample types that a heart-rate monitor produces.
enum SampleTypes {
  static let heartRate = HKQuantityTypeIdentifier.heartRate.rawValue
  static let beats = HKSeriesType.heartbeat().identifier
}
