import BlueZ
import Bluetooth
import Synchronization

/// Shares one central between several gateways. Each gateway sees only the events of its own monitors.
///
/// A monitor that is being moved to another person is briefly in two stores, and belongs to the one to which
/// it was added last. The central stops following it and then follows it again, with
/// `CentralEvent.released(_:)` separating the two people's measurements.
///
/// Each gateway has a bounded buffer. If its store hangs and the buffer is full, its events are dropped, and
/// a gap is recorded. The other gateways are not delayed.
final class SharedCentral: Sendable {
  typealias CentralFactory = @Sendable (FollowingTerms) async throws -> any FollowingCentral

  private let make: CentralFactory
  private let state = Mutex(RoutingTable())
  /// The task that creates the central. All gateways wait for the same task.
  private let making = Mutex<Task<Void, any Error>?>(nil)
  /// Finishes when the central was created or creating it failed.
  private let made = AsyncStream.makeStream(of: Void.self)

  /// - Parameter make: Creates the central for all gateways. Called for the first gateway.
  init(make: @escaping CentralFactory) { self.make = make }

  // MARK: - Gateways

  /// Returns one gateway's view of the central. The first call creates the central.
  /// - Throws: The error of creating the central, which every caller gets; `CancellationError`.
  func client(on terms: FollowingTerms) async throws -> Client {
    let task = making.withLock { making in
      let task = making ?? Task { try await makeCentral(on: terms) }
      making = task
      return task
    }
    // A canceled caller stops waiting, but the central is still created for the others.
    try await valueUnlessCancelled(of: task)
    return state.withLock { state in
      state.lastClient += 1
      let buffer = EventBuffer(capacity: BoundedEventQueue.capacity)
      state.clients[state.lastClient] = RoutedClient(terms, buffer, timedBy: &state.clock, at: .now())
      if state.hasEnded { buffer.finish() }
      return Client(central: self, number: state.lastClient, buffer: buffer)
    }
  }

  /// Moves a gateway's view of the central to another gateway on the same store, without disconnecting
  /// monitors.
  func hand(_ client: Client, to terms: FollowingTerms) -> Client {
    state.withLock { state in
      var clock = state.clock
      state.clients[client.number]?.continue(on: terms, timedBy: &clock, at: .now())
      state.clock = clock
    }
    return client
  }

  /// Returns the monitors that were paired with this machine; empty before the central is created.
  func trustedMonitors() async throws -> [EnrolledMonitor] {
    try await state.withLock(\.central)?.trustedMonitors() ?? []
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
      // If the run was stopped in the meantime, this is not a failure.
      if !Task.isCancelled { state.withLock { $0.failure = error } }
      throw error
    }
  }

  /// The error that kept the central from being created.
  var failure: (any Error)? { state.withLock(\.failure) }

  /// Records that the run is about to end. From now on, the first gateway that stops also stops the central.
  /// - Returns: Whether this is the first call.
  func beginStopping() -> Bool {
    making.withLock { $0?.cancel() }
    return state.withLock { state in
      defer { state.isStopping = true }
      return !state.isStopping
    }
  }

  /// Runs the central until it is stopped or ends.
  ///
  /// - Throws: The error that ended the central, or the error of creating it.
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

  fileprivate func respondToProbe() async { await state.withLock(\.central)?.respondToProbe() }

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

  /// Sends the list of monitors to the central. Concurrent calls are merged, so that the latest list is sent
  /// last.
  private func updateCentral() async {
    let isMine = state.withLock { state in
      state.isChanged = true
      defer { state.isUpdating = true }
      return !state.isUpdating
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
      // Do not report the state of a monitor that is being moved to another gateway, until the central has
      // confirmed the move.
      guard let holder = state.holders[monitor], state.sentHolders[monitor] == holder else { return nil }
      return state.clients[holder]?.terms
    }
  }

  /// Delivers the central's events to the gateways until it ends.
  /// - Returns: The error that ended the central, if any.
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

/// One gateway's client of a shared central. It emits only the events of that gateway's monitors.
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
  /// Does nothing, because `SharedCentral.run()` runs the central.
  func run() async {}
  func stop() async { await central.leave(number) }
  func respondToProbe() async { await central.respondToProbe() }
}
