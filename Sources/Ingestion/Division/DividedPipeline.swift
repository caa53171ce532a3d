public import Bluetooth

/// Imports one recording into the stores of several people. Each monitor's measurements go to one store, or
/// are skipped and counted with the reason.
///
/// The recording is read only once, so it may be a pipe.
public struct DividedPipeline {
  /// The destination of an event's data.
  public enum Place: Hashable, Sendable {
    /// The pipeline at this index.
    case pipeline(Int)
    /// No pipeline, for this reason.
    case nowhere(Rejection)
  }

  /// Returns the destination of a monitor's event. The time is `nil` if the recording has no time before the
  /// event.
  public typealias Division = @Sendable (PeripheralIdentity, ReceiptTime?) -> Place

  /// The result of importing a recording.
  public struct Outcome {
    /// The combined counts of all pipelines, including skipped measurements. Each monitor is listed once.
    public var tally = IngestionTally()
    /// The index of the pipeline that received each monitor's measurements; the first one if there were
    /// several.
    public var places: [PeripheralIdentity: Int] = [:]
    /// The number of skipped measurements of each monitor, by reason.
    public var leftOut: [PeripheralIdentity: [Rejection: Int]] = [:]
    /// The error that ended the import before the end of the recording; `nil` if there was none.
    public var failure: (any Error)?
  }

  private var pipelines: [IngestionPipeline]
  private let division: Division?
  private var leftOut = LeftOutMonitors()
  /// The latest time in the recording so far. It is used for events without a time.
  private var latest: ReceiptTime?

  /// Creates a pipeline that sends all measurements to a single store.
  public init(_ pipeline: IngestionPipeline) {
    pipelines = [pipeline]
    division = nil
  }

  /// Creates a pipeline for several stores.
  ///
  /// - Parameters:
  ///   - pipelines: One pipeline for each store.
  ///   - division: Chooses the pipeline of a monitor.
  public init(_ pipelines: [IngestionPipeline], division: @escaping Division) {
    self.pipelines = pipelines
    self.division = division
  }

  /// Reads a recording to its end and stores its measurements, like ``IngestionPipeline``.
  ///
  /// An error of one store ends the import for all stores. Importing the recording again adds what is
  /// missing.
  /// - Parameter progress: Called after each batch with the number of measurements so far.
  public mutating func run(
    _ central: some Central, isContinued: () -> Bool = { false }, progress: (Int) -> Void = { _ in }
  ) async -> Outcome {
    var failure: (any Error)?
    do {
      for place in pipelines.indices { try await pipelines[place].begin() }
      for try await events in central.events() {
        try await take(events)
        progress(pipelines.reduce(leftOut.measurements) { $0 + $1.measurements })
      }
    } catch {
      failure = error
    }
    return await end(after: failure, isContinued: failure == nil && isContinued())
  }

  private mutating func take(_ events: [CentralEvent]) async throws {
    guard let division else { return try await pipelines[0].take(events) }
    var batches = [[CentralEvent]](repeating: [], count: pipelines.count)
    for event in events {
      latest = event.time ?? latest
      guard case .peripheral(let peripheral) = event.subject, !event.isDescription else {
        for place in batches.indices { batches[place].append(event) }
        leftOut.learn(event)
        continue
      }
      switch division(peripheral, latest) {
      case .pipeline(let place): batches[place].append(event)
      case .nowhere(let reason): leftOut.receive(event, of: peripheral, reason)
      }
    }
    for place in batches.indices { try await pipelines[place].take(batches[place]) }
  }

  private mutating func end(after earlier: (any Error)?, isContinued: Bool) async -> Outcome {
    var outcome = Outcome(failure: earlier)
    for place in pipelines.indices {
      let (tally, failure) = await pipelines[place].end(after: outcome.failure, isContinued: isContinued)
      for monitor in tally.monitors where outcome.places[monitor.peripheral] == nil {
        outcome.places[monitor.peripheral] = place
      }
      outcome.tally.merge(tally)
      outcome.failure = failure
    }
    outcome.tally.merge(leftOut.tally)
    outcome.leftOut = leftOut.reasons
    leftOut.forgetCounts()
    if !isContinued { latest = nil }
    return outcome
  }
}

extension CentralEvent {
  /// Whether the event describes a monitor, such as its name. All pipelines receive these events, because
  /// they apply to everyone who wears the monitor.
  fileprivate var isDescription: Bool {
    switch self {
    case .named, .valueRead, .described: true
    case .connected, .notified, .disconnected, .released, .gapBegan, .repeated, .interrupted, .clockSet:
      false
    }
  }
}

extension IngestionTally {
  /// Adds the counts of another pipeline for the same recording.
  mutating func merge(_ other: IngestionTally) {
    measurements += other.measurements
    duplicates += other.duplicates
    refusedClockChanges += other.refusedClockChanges
    stored.merge(other.stored, uniquingKeysWith: +)
    rejected.merge(other.rejected, uniquingKeysWith: +)
    anomalies.merge(other.anomalies, uniquingKeysWith: +)
    let places = Dictionary(
      monitors.enumerated().map { ($1.peripheral, $0) }, uniquingKeysWith: { first, _ in first })
    for monitor in other.monitors {
      if let place = places[monitor.peripheral] {
        monitors[place].measurements += monitor.measurements
        monitors[place].surplusIntervals += monitor.surplusIntervals
        monitors[place].intervalRatio = monitors[place].intervalRatio ?? monitor.intervalRatio
        monitors[place].withoutContact += monitor.withoutContact
      } else {
        monitors.append(monitor)
      }
    }
  }
}
