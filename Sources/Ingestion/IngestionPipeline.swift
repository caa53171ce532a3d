import Bluetooth
public import BluetoothCentral
public import HealthKit

/// From what peripherals notify to what the store keeps, for a source that ends: a recording or a simulation.
///
/// An ordinary client of the store: there is one door in, and whatever holds for other programs holds here. The source is asked for
/// more when what it gave is dealt with, and an error of the store ends the run. ``LivePipeline`` is for a source that neither
/// waits nor ends.
public struct IngestionPipeline {
  private let store: HKHealthStore?
  private var intake = EventIntake()
  private var writer: SampleWriter

  /// - Parameter store: Where the samples go; `nil` goes through every step and stores nothing.
  public init(store: HKHealthStore?) {
    self.store = store
    writer = SampleWriter(storesNothing: store == nil)
  }

  /// Reads a central to its end and commits what it measured.
  ///
  /// - Parameter progress: Called after each batch with the counts so far.
  /// - Returns: The counts, and the error that ended the run before the central did. What the counts call stored is
  ///   stored, whatever the error.
  public mutating func run(
    _ central: some Central, progress: (IngestionTally) -> Void = { _ in }
  ) async -> (tally: IngestionTally, failure: (any Error)?) {
    var failure: (any Error)?
    do {
      if let store {
        intake = EventIntake(
          known: [PeripheralIdentity: KnownStrap](
            [], openGaps: try await MonitorRegistry(store).gaps(isOpen: true)))
      }
      for try await events in central.events() {
        intake.receive(events.span)
        try draftsToWriter()
        if writer.isBatchDue { try await flush() }
        progress(intake.tally)
      }
    } catch {
      failure = error
    }
    do {
      intake.end()
      try draftsToWriter()
      try await flush()
    } catch {
      failure = failure ?? error
    }
    return (intake.summary, failure)
  }

  private mutating func draftsToWriter() throws {
    try intake.drain { drafts, gaps, description, tally in
      try writer.add(drafts, gaps, of: description, &tally)
    }
  }

  /// Commits all that was gathered.
  ///
  /// - Throws: The store's error; the tally then counts what was not kept as ``Rejection/storeFailed``.
  private mutating func flush() async throws {
    guard let store, let batch = writer.takeBatch() else { return }
    do {
      intake.tally.add(try await batch.save(to: store))
    } catch {
      intake.tally.rejected[.storeFailed, default: 0] += batch.heartRates
      throw error
    }
  }
}
