import BlueZ
import Bluetooth
import Synchronization

/// One central behind the gateways of several stores. Each is told of its own monitors alone, as if the
/// central were its own.
///
/// A monitor that is enrolled in several stores, which it is for a moment while it changes hands, is that
/// store's in which it was enrolled last. The central is then made to let go of it and to follow it anew:
/// what was measured before belongs to the one, what is measured after to the other, and
/// `CentralEvent.released(_:)` is the line between them.
///
/// Each seat has a bounded buffer. Whoever does not read, because their store hangs, loses what does not fit,
/// which is told as a gap, and holds up nobody.
final class SharedCentral: Sendable {
  typealias Making = @Sendable (FollowingTerms) async throws -> any FollowingCentral

  private let make: Making
  private let state = Mutex(Seating())
  /// The one making, for whoever comes meanwhile.
  private let making = Mutex<Task<Void, any Error>?>(nil)
  /// It ends when there is a central, or none can be made.
  private let made = AsyncStream.makeStream(of: Void.self)

  /// - Parameter make: Called for the first gateway, whose central it then is for all.
  init(make: @escaping Making) { self.make = make }

  // MARK: - Whoever takes a seat

  /// The central as one gateway sees it. The first that comes has it made.
  /// - Throws: What keeps it from being made, to all that come; `CancellationError`.
  func seat(on terms: FollowingTerms) async throws -> Seat {
    let task = making.withLock { making in
      let task = making ?? Task { try await makeCentral(on: terms) }
      making = task
      return task
    }
    // Whoever is let go meanwhile leaves the making to the others.
    try await valueUnlessCancelled(of: task)
    return state.withLock { state in
      state.lastSeat += 1
      let buffer = EventBuffer(capacity: EventOutlet.capacity)
      state.seats[state.lastSeat] = TakenSeat(terms, buffer, timedBy: &state.clock, at: .now())
      if state.hasEnded { buffer.finish() }
      return Seat(central: self, number: state.lastSeat, buffer: buffer)
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
      // Told to end meanwhile, nothing failed.
      if !Task.isCancelled { state.withLock { $0.failure = error } }
      throw error
    }
  }

  /// Why there is none and will be none.
  var failure: (any Error)? { state.withLock(\.failure) }

  /// All are to end: from now on the first that leaves stops the central.
  /// - Returns: Whether that is new.
  func beginStopping() -> Bool {
    making.withLock { $0?.cancel() }
    return state.withLock { state in
      defer { state.isStopping = true }
      return !state.isStopping
    }
  }

  /// Works until the central was stopped, or has ended.
  ///
  /// - Throws: The error that ended the central, or kept it from being made.
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

  fileprivate func follow(_ monitors: [EnrolledMonitor], from seat: Int) async {
    state.withLock { state in
      state.seats[seat]?.monitors = monitors
      state.assign()
    }
    await tellCentral()
  }

  fileprivate func leave(_ seat: Int) async {
    let (central, isStopping) = state.withLock { ($0.central, $0.isStopping) }
    if isStopping {
      await central?.stop()
      return
    }
    await follow([], from: seat)
    state.withLock { state in
      state.seats[seat]?.isLeaving = true
      state.dismiss(seat)
    }
  }

  /// Tells the central whom to follow, one after the other: of two lists the later has to win.
  private func tellCentral() async {
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

  // MARK: - What the central says

  private func report(_ status: FollowStatus) {
    terms(of: status.monitor)?.report(status)
  }

  private func hear(_ signal: HeardSignal) {
    terms(of: signal.monitor)?.hear(signal)
  }

  private func terms(of monitor: BluetoothAddress) -> FollowingTerms? {
    state.withLock { state in
      // What the central says while it lets go is of no state any more.
      guard let holder = state.holders[monitor], state.told[monitor] == holder else { return nil }
      return state.seats[holder]?.terms
    }
  }

  /// - Returns: The central's error.
  private func deal(_ central: some FollowingCentral) async -> (any Error)? {
    defer {
      state.withLock { state in
        state.hasEnded = true
        for seat in state.seats.values { seat.buffer.finish() }
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

/// One gateway's part of a shared central.
struct Seat: FollowingCentral {
  fileprivate let central: SharedCentral
  fileprivate let number: Int
  fileprivate let buffer: EventBuffer

  /// Of this gateway's monitors.
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
  /// The central is run by whoever shares it out.
  func run() async {}
  func stop() async { await central.leave(number) }
  func takeTurn() async { await central.takeTurn() }
}
