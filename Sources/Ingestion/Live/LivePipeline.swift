public import Bluetooth
public import BluetoothCentral
public import HealthKit

/// From what peripherals notify to what the store keeps, for a source that neither waits nor ends: the radio.
///
/// What was gathered is committed after ``LivePolicy/commitInterval`` at the latest, whether or not more arrives; while nothing was
/// gathered, nothing wakes. A store that cannot be written to (the disk is full, the file is locked) does not end the run: what
/// was gathered is held in memory up to a bound, and the store is tried again. What goes beyond the bound is counted as
/// ``Rejection/storeFailed`` and stands in the store as a gap once it can be written to again.
///
/// One run at a time: its caller has made the program the store's gateway (``MonitorRegistry/becomeGateway()``).
///
/// Monitors that are enrolled in the store are known by their descriptions from the start, and their gaps by how the run
/// before ended: in good order, with a gap for each monitor that was connected, or not, with nothing after the last commit.
public struct LivePipeline<C: Clock>: Sendable where C.Duration == Duration {
  private let store: HKHealthStore
  private let policy: LivePolicy
  private let clock: C
  private let wallTime: @Sendable () -> ReceiptTime

  /// - Parameters:
  ///   - store: A handle of the system's.
  ///   - clock: Measures the commit interval and the time between retries.
  ///   - wallTime: The receipt time of what would be received now; the end of the run has it.
  public init(
    store: HKHealthStore, policy: LivePolicy = LivePolicy(), clock: C,
    wallTime: @escaping @Sendable () -> ReceiptTime = { SystemClocks.now().wall }
  ) {
    self.store = store
    self.policy = policy
    self.clock = clock
    self.wallTime = wallTime
  }

  /// Reads a central until it ends, and then commits what is left. To end it, end the central; a task that is cancelled commits
  /// nothing more.
  ///
  /// - Parameters:
  ///   - enrolments: The monitors that are enrolled, told anew while the run goes on. What is known of new ones is then known from
  ///     their first measurement on, as it is of those that were enrolled before.
  ///   - onCommit: Called after each attempt to commit, on no particular thread.
  /// - Returns: The counts, and the error that ended the run before the central did: the central's own, the store's where it could
  ///   not be read at the start or not be written to at the end.
  public func run(
    _ central: some Central, enrolments: AsyncStream<[EnrolledMonitor]>? = nil,
    onCommit: @escaping @Sendable (IngestionStatus) -> Void = { _ in }
  ) async -> (tally: IngestionTally, failure: (any Error)?) {
    let known: [PeripheralIdentity: KnownStrap]
    do {
      let registry = MonitorRegistry(store)
      known = .init(try await registry.monitors(), openGaps: try await registry.gaps(isOpen: true))
    } catch {
      return (IngestionTally(), error)
    }
    let (work, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let ingestion = LiveIngestion(store: store, policy: policy, known: known, signal, onCommit)
    let failure = await withTaskGroup(of: Void.self) { group in
      group.addTask { await commit(ingestion, whenever: work) }
      if let enrolments { group.addTask { await tell(ingestion, of: enrolments) } }
      let failure = await read(central, into: ingestion)
      group.cancelAll()
      return failure
    }
    let (tally, lastFailure) = await end(ingestion)
    return (tally, failure ?? lastFailure)
  }

  private func read(_ central: some Central, into ingestion: LiveIngestion) async -> (any Error)? {
    do {
      for try await events in central.events() { await ingestion.receive(events) }
      return nil
    } catch {
      return error
    }
  }

  private func tell(_ ingestion: LiveIngestion, of enrolments: AsyncStream<[EnrolledMonitor]>) async {
    for await monitors in enrolments {
      // Without their open gaps they would be known wrongly; a store that cannot be read is read again.
      while !Task.isCancelled {
        if let gaps = try? await MonitorRegistry(store).gaps(isOpen: true) {
          await ingestion.know(.init(monitors, openGaps: gaps))
          break
        }
        try? await clock.sleep(for: policy.longestRetry)
      }
    }
  }

  private func commit(_ ingestion: LiveIngestion, whenever work: AsyncStream<Void>) async {
    do {
      for await _ in work {
        if policy.commitInterval > .zero { try await clock.sleep(for: policy.commitInterval) }
        while let delay = await ingestion.commit() { try await clock.sleep(for: delay) }
      }
    } catch {
      // Cancelled: the source has ended, and what is left is committed there.
    }
  }

  private func end(_ ingestion: LiveIngestion) async -> (IngestionTally, (any Error)?) {
    await ingestion.end(at: wallTime())
    let deadline = clock.now.advanced(by: policy.lastPatience)
    while let delay = await ingestion.commit(), clock.now.advanced(by: delay) < deadline {
      do {
        try await clock.sleep(for: delay)
      } catch {
        break
      }
    }
    return await ingestion.conclude()
  }
}

extension LivePipeline where C == ContinuousClock {
  /// By this machine's clocks.
  public init(
    store: HKHealthStore, policy: LivePolicy = LivePolicy(),
    wallTime: @escaping @Sendable () -> ReceiptTime = { SystemClocks.now().wall }
  ) {
    self.init(store: store, policy: policy, clock: ContinuousClock(), wallTime: wallTime)
  }
}
