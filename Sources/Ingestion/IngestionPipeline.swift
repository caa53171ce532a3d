public import Bluetooth
public import HealthKit
import HealthStorage

/// From what peripherals notify to what the store keeps, for a source that ends: a recording or a simulation.
///
/// The source is asked for more when what it gave is dealt with, and an error of the store ends the run. A
/// source that neither waits nor ends is for `Gateway`.
public struct IngestionPipeline {
  /// How many samples are gathered before they are committed: hours of many straps, which go into blocks.
  static let batchSize = 131_072
  /// How long a sample waits for others, so that a slow source loses little with a killed process.
  static let patience = Duration.seconds(2)

  /// What becomes of samples.
  private enum Destination {
    case store(HKHealthStore)
    case rehearsal(Rehearsal)
    /// They are counted and go no further.
    case nowhere

    var isNowhere: Bool { if case .nowhere = self { true } else { false } }

    /// Where samples may be stored already.
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
  /// When the first of the samples that wait began to.
  private var waitingSince: ContinuousClock.Instant?
  /// The central that is read next goes on where the last one ended.
  private var goesOn = false

  /// - Parameter store: The system's handle on the store; `nil` goes through every step and stores nothing.
  public init(store: HKHealthStore?) { self.init(store: store, now: { .now }) }

  /// Goes through every step and counts what a store would make of it.
  public init(rehearsing rehearsal: Rehearsal) { self.init(.rehearsal(rehearsal), now: { .now }) }

  /// - Parameter now: Tells how long samples have waited.
  init(store: HKHealthStore?, now: @escaping @Sendable () -> ContinuousClock.Instant) {
    self.init(store.map(Destination.store) ?? .nowhere, now: now)
  }

  private init(_ destination: Destination, now: @escaping @Sendable () -> ContinuousClock.Instant) {
    self.destination = destination
    self.now = now
    writer = SampleWriter(storesNothing: destination.isNowhere)
  }

  /// Reads a central to its end and commits what it measured.
  ///
  /// Centrals may be read one after the other. What an earlier one said of a monitor is known in the next.
  ///
  /// - Parameters:
  ///   - isContinued: Asked at its end whether the next central goes on there, as the parts of a recording
  ///     do. Then the sessions and their beats go on too; what was measured is committed all the same.
  ///   - progress: Called after each batch with the counts so far.
  /// - Returns: The counts, and the error that ended the run before the central did. What the counts call
  ///   stored is stored, whatever the error.
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

  // MARK: - The parts of a run

  /// Values of Heart Rate Measurement that came in during this run.
  var measurements: Int { intake.tally.measurements }

  /// What comes next is of a central that is read from its beginning, or goes on where the last one ended.
  mutating func begin() async throws {
    if !goesOn { try await beginAnew() }
  }

  /// - Throws: The store's error.
  mutating func take(_ events: [CentralEvent]) async throws {
    var taken = 0
    while taken < events.count {
      taken += intake.receive(events.span.extracting(taken..<events.count))
      try drain()
    }
    if isBatchDue() { try await flush() }
  }

  /// Commits what is left.
  /// - Returns: The counts, and what ended the run first.
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
    return (intake.takeSummary(), failure)
  }

  /// The identities of equal frames are numbered anew: the same recording read again is no second one.
  private mutating func beginAnew() async throws {
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

  /// Reads what the user declared about monitors: it applies to recordings of them, too.
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

  /// It is time to commit: there are enough samples, or the first of them has waited long enough.
  private mutating func isBatchDue() -> Bool {
    guard writer.count > 0 else { return false }
    let now = now()
    let since = waitingSince ?? now
    waitingSince = since
    return writer.count >= Self.batchSize || now - since >= Self.patience
  }

  /// Commits all that was gathered.
  ///
  /// - Throws: The store's error; the tally then counts what was not kept as ``Rejection/storeFailed``.
  private mutating func flush() async throws {
    waitingSince = nil
    while var batch = writer.takeBatch() {
      batch.changes.isRecorded = true
      do {
        switch destination {
        case .store(let store): intake.tally.add(try await batch.save(to: store, as: .blocks))
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
