import BlueZ
import Bluetooth
import Synchronization

/// Shares one central between the gateways of several stores. Each gateway sees only its own monitors, as
/// if the central were its own.
///
/// A monitor that is being moved is enrolled in several stores for a moment; it belongs to the store with
/// the latest enrollment. The central then releases it and follows it again. `CentralEvent.released(_:)`
/// separates the measurements of the old owner from those of the new one.
///
/// Each gateway has a bounded buffer. If its store hangs and it does not read, it loses the events that do
/// not fit, which are recorded as a gap. The other gateways are not delayed.
final class SharedCentral: Sendable {
  typealias Making = @Sendable (FollowingTerms) async throws -> any FollowingCentral

  private let make: Making
  private let state = Mutex(RoutingTable())
  /// The task that creates the central. Gateways that join meanwhile share it.
  private let making = Mutex<Task<Void, any Error>?>(nil)
  /// Finished when the central was created, or could not be.
  private let made = AsyncStream.makeStream(of: Void.self)

  /// - Parameter make: Creates the central for all gateways. Called when the first one joins.
  init(make: @escaping Making) { self.make = make }

  // MARK: - Joining

  /// Returns one gateway's view of the central. The first caller creates the central.
  /// - Throws: The error of creating the central, to all callers; `CancellationError`.
  func client(on terms: FollowingTerms) async throws -> Client {
    let task = making.withLock { making in
      let task = making ?? Task { try await makeCentral(on: terms) }
      making = task
      return task
    }
    // A caller that is canceled stops waiting, and the creation continues for the others.
    try await valueUnlessCancelled(of: task)
    return state.withLock { state in
      state.lastClient += 1
      let buffer = EventBuffer(capacity: BoundedEventQueue.capacity)
      state.clients[state.lastClient] = RoutedClient(terms, buffer, timedBy: &state.clock, at: .now())
      if state.hasEnded { buffer.finish() }
      return Client(central: self, number: state.lastClient, buffer: buffer)
    }
  }

  private func makeCentral(on terms: FollowingTerms) async throws {
    defer { made.continuation.finish() }
    var shared = terms
    shared.report = { [weak self] in self?.report($0) }
    shared.hear = { [weak self] in self?.hear($0) }
    do {
      let central = try await make(shared)
      state.withLock { state in
        state.central = central
        state.clock = shared.clock
      }
    } catch {
      // If the caller was asked to stop meanwhile, it is not a failure.
      if !Task.isCancelled { state.withLock { $0.failure = error } }
      throw error
    }
  }

  /// The error that kept the central from being created.
  var failure: (any Error)? { state.withLock(\.failure) }

  /// Marks the end of the run: from now on, the first gateway that leaves stops the central.
  /// - Returns: Whether this is the first call.
  func beginStopping() -> Bool {
    making.withLock { $0?.cancel() }
    return state.withLock { state in
      defer { state.isStopping = true }
      return !state.isStopping
    }
  }

  /// Runs until the central was stopped or has ended.
  ///
  /// - Throws: The error that ended the central, or kept it from being created.
  func run() async throws {
    for await _ in made.stream {}
    if let failure { throw failure }
    guard let central = state.withLock(\.central), !Task.isCancelled else { return }
    let failure = await withTaskGroup(of: Void.self) { group in
      group.addTask { await central.run() }
      let failure = await deal(central)
      group.cancelAll()
      return failure
    }
    if let failure { throw failure }
  }

  fileprivate func takeTurn() async { await state.withLock(\.central)?.takeTurn() }

  fileprivate func follow(_ monitors: [EnrolledMonitor], from client: Int) async {
    state.withLock { state in
      state.clients[client]?.monitors = monitors
      state.assign()
    }
    await updateCentral()
  }

  fileprivate func leave(_ client: Int) async {
    let (central, isStopping) = state.withLock { ($0.central, $0.isStopping) }
    if isStopping {
      await central?.stop()
      return
    }
    await follow([], from: client)
    state.withLock { state in
      state.clients[client]?.isLeaving = true
      state.dismiss(client)
    }
  }

  /// Sends the list of monitors to the central. Only one caller at a time does it, so that the latest list
  /// wins.
  private func updateCentral() async {
    let isMine = state.withLock { state in
      state.isChanged = true
      defer { state.isTelling = true }
      return !state.isTelling
    }
    guard isMine, let central = state.withLock(\.central) else { return }
    while let change = state.withLock({ $0.nextChange() }) {
      if !change.moved.isEmpty {
        await central.follow(change.monitors.filter { !change.moved.contains($0.address) })
      }
      await central.follow(change.monitors)
    }
  }

  // MARK: - Events of the central

  private func report(_ status: FollowStatus) {
    terms(of: status.monitor)?.report(status)
  }

  private func hear(_ signal: HeardSignal) {
    terms(of: signal.monitor)?.hear(signal)
  }

  private func terms(of monitor: BluetoothAddress) -> FollowingTerms? {
    state.withLock { state in
      // While the central releases a monitor, its reports belong to no state.
      guard let holder = state.holders[monitor], state.told[monitor] == holder else { return nil }
      return state.clients[holder]?.terms
    }
  }

  /// Routes the central's events until it ends.
  /// - Returns: The central's error.
  private func deal(_ central: some FollowingCentral) async -> (any Error)? {
    defer {
      state.withLock { state in
        state.hasEnded = true
        for client in state.clients.values { client.buffer.finish() }
      }
    }
    do {
      for try await events in central.events() { state.withLock { $0.deal(events) } }
      return nil
    } catch {
      return error
    }
  }
}

/// One gateway's view of a shared central.
struct Client: FollowingCentral {
  fileprivate let central: SharedCentral
  fileprivate let number: Int
  fileprivate let buffer: EventBuffer

  /// The events of this gateway's monitors.
  struct Events: AsyncSequence {
    typealias Element = [CentralEvent]
    typealias Failure = any Error

    fileprivate let buffer: EventBuffer

    struct Iterator: AsyncIteratorProtocol {
      fileprivate let buffer: EventBuffer

      mutating func next() async throws -> [CentralEvent]? { await buffer.next() }
    }

    func makeAsyncIterator() -> Iterator { Iterator(buffer: buffer) }
  }

  func events() -> Events { Events(buffer: buffer) }
  func follow(_ monitors: [EnrolledMonitor]) async { await central.follow(monitors, from: number) }
  /// Does nothing: `SharedCentral.run()` runs the central.
  func run() async {}
  func stop() async { await central.leave(number) }
  func takeTurn() async { await central.takeTurn() }
}
