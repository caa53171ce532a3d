public import Bluetooth

/// From one recording to the stores of several people: what each monitor measured goes where it belongs, or
/// is left out for a reason, and counted.
///
/// The recording is read once, so that it may be a pipe.
public struct DividedPipeline {
  /// Where an event belongs.
  public enum Place: Hashable, Sendable {
    /// Into the pipeline that has this place in the list.
    case pipeline(Int)
    /// Into none.
    case nowhere(Rejection)
  }

  /// Says where an event of a peripheral belongs, which was at this time; `nil` before the first time that
  /// the recording states.
  public typealias Division = @Sendable (PeripheralIdentity, ReceiptTime?) -> Place

  /// What became of a recording.
  public struct Outcome {
    /// The counts of all pipelines and of what was left out. They name each monitor once.
    public var tally = IngestionTally()
    /// In which pipeline there is something of a monitor; of several, the first.
    public var places: [PeripheralIdentity: Int] = [:]
    /// How much of a monitor was left out, and why.
    public var leftOut: [PeripheralIdentity: [Rejection: Int]] = [:]
    /// What ended the run before the central did.
    public var failure: (any Error)?
  }

  private var pipelines: [IngestionPipeline]
  private let division: Division?
  private var leftOut = LeftOutMonitors()
  /// What an event without a time is taken for.
  private var latest: ReceiptTime?

  /// All goes one way.
  public init(_ pipeline: IngestionPipeline) {
    pipelines = [pipeline]
    division = nil
  }

  public init(_ pipelines: [IngestionPipeline], division: @escaping Division) {
    self.pipelines = pipelines
    self.division = division
  }

  /// Reads a central to its end and commits what it measured, as ``IngestionPipeline`` does.
  ///
  /// An error of one store ends the run for all: read again, the recording adds what is missing.
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
  /// It says what a peripheral is, which is the same whoever wears it: where frames of one go two ways, both
  /// need it.
  fileprivate var isDescription: Bool {
    switch self {
    case .named, .valueRead, .described: true
    case .connected, .notified, .disconnected, .released, .gapBegan, .repeated, .interrupted, .clockSet:
      false
    }
  }
}
