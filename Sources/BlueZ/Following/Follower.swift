import Bluetooth
import DBus

/// The rim of ``FollowingMachine``: gives it the time, performs what it wants done, and hands on what it
/// says. On the thread that reads the bus, so that a measurement costs no change of tasks.
actor Follower {
  typealias Call = (id: FollowingMachine.CallID, call: BlueZCall)

  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.unownedExecutor }

  /// How often wall time is compared with the receipt clock. Not each time: reading a clock is a system call
  /// on some machines.
  private static let lookInterval: UInt64 = 500_000_000

  private var machine: FollowingMachine
  /// A sleep of the machine that is shorter is none: the clocks are not read at the same moment.
  private static let leastSleep: UInt64 = 500_000_000

  private var clock: ReceiptClock
  private var lastLook: UInt64 = 0
  /// For how long the machine had slept at the last look.
  private var asleep: UInt64
  private var outlet: EventOutlet
  private let gathering: Duration
  private let tell: @Sendable (FollowStatus) -> Void
  private let hear: @Sendable (HeardSignal) -> Void
  /// Tells the machine that time has passed.
  private lazy var timer = LoopTimer(on: loop) { [weak self] in self?.assumeIsolated { $0.timeHasCome() } }
  /// When it fires. Each measurement moves the deadlines; re-arming the timer each time would cost more than
  /// letting it fire early once.
  private var timerTime: BootTime?
  private lazy var handOverTimer = LoopTimer(on: loop) { [weak self] in self?.assumeIsolated { $0.handOver() }
  }
  /// What the machine tells of one input; a release is among it.
  private var emitted: [CentralEvent] = []
  private var hasReleased = false
  /// Something waits in the outlet for the timer.
  private var isGathering = false
  /// The conversation, while the bus is there, and where calls for it go.
  private var session: BlueZSession?
  private var calls: AsyncStream<Call>.Continuation?

  init(
    on loop: EventLoop, onlyAdapter: BluetoothAddress?, clock: ReceiptClock?, policy: FollowingPolicy,
    buffer: EventBuffer, gathering: Duration, hear: @escaping @Sendable (HeardSignal) -> Void,
    tell: @escaping @Sendable (FollowStatus) -> Void
  ) {
    let now = SystemClocks.now()
    self.clock = clock ?? ReceiptClock(boottimeNanoseconds: now.boottimeNanoseconds, wall: now.wall)
    asleep = now.asleepNanoseconds
    machine = FollowingMachine(
      policy: policy, onlyAdapter: onlyAdapter, applicationRoot: HeartRateProfile.root,
      start: Receipt(boot: BootTime(nanoseconds: now.boottimeNanoseconds), time: now.wall))
    self.loop = loop
    outlet = EventOutlet(buffer, gathers: gathering > .zero)
    self.gathering = gathering
    self.hear = hear
    self.tell = tell
  }

  // MARK: - What happens

  func busOpened(_ session: BlueZSession, _ calls: AsyncStream<Call>.Continuation) {
    self.session = session
    self.calls = calls
    handle(.busOpened)
  }

  /// The bus is tried again later.
  func busAway(_ error: BusError) {
    if let refusal = Refusal(opening: error) { refused(refusal) } else { busLost() }
  }

  func busLost() {
    endSession()
    handle(.busLost)
  }

  func refused(_ refusal: Refusal) {
    endSession()
    handle(.refused(refusal))
  }

  /// Follows what bluetoothd says until the connection ends.
  ///
  /// - Throws: ``BusError``.
  func listen(to session: BlueZSession) async throws {
    try await session.listen(
      values: { path, bytes, arrival in
        self.assumeIsolated { $0.handle(.value(path, AttributeValue(bytes)), arrived: arrival) }
      },
      { event, arrival in handle(.tree(event), arrived: arrival) })
  }

  func answered(_ answer: BlueZAnswer, to id: FollowingMachine.CallID) { handle(.answered(id, answer)) }

  func follow(_ monitors: [FollowedMonitor]) { handle(.monitors(monitors)) }

  private func timeHasCome() {
    timerTime = nil
    handle(.timer)
  }

  /// Does what is due, on the thread that reads the bus.
  func takeTurn() { handle(.timer) }

  /// Gives back what bluetoothd holds for the gateway.
  ///
  /// - Returns: The calls for it and with whom, for the caller to perform: nothing is done after this.
  func stop() -> (session: BlueZSession?, calls: [BlueZCall]) {
    var given: [BlueZCall] = []
    commands(for: .stop) { command in
      if case .call(_, let call) = command { given.append(call) } else { carryOut(command) }
    }
    handOn()
    handOver()
    timer.set(after: nil)
    return (session, given)
  }

  // MARK: - Steps

  private func endSession() {
    session = nil
    calls?.finish()
    calls = nil
  }

  private func handle(_ input: FollowingMachine.Input, arrived arrival: Arrival? = nil) {
    commands(for: input, arrived: arrival, carryOut)
    handOn()
    guard machine.mayBeDueEarlier || timerTime == nil else { return }
    machine.mayBeDueEarlier = false
    guard let deadline = machine.deadline, deadline < timerTime ?? .distantFuture else { return }
    timerTime = deadline
    timer.set(after: deadline - machine.now)
  }

  private func handOver() {
    isGathering = false
    handOverTimer.set(after: nil)
    outlet.release()
  }

  private func commands(
    for input: FollowingMachine.Input, arrived arrival: Arrival? = nil,
    _ perform: (FollowingMachine.Command) -> Void
  ) {
    if let boottime = arrival?.boottimeNanoseconds, boottime < lastLook &+ Self.lookInterval {
      return machine.handle(
        input,
        at: Receipt(
          boot: BootTime(nanoseconds: boottime), time: clock.receiptTime(boottimeNanoseconds: boottime),
          place: arrival?.place), perform)
    }
    let now = SystemClocks.now()
    lastLook = now.boottimeNanoseconds
    let boottime = arrival?.boottimeNanoseconds ?? now.boottimeNanoseconds
    let reading = clock.receiptTime(
      boottimeNanoseconds: boottime, wallNow: now.wall, boottimeNow: now.boottimeNanoseconds)
    let receipt = Receipt(
      boot: BootTime(nanoseconds: boottime), time: reading.time, place: arrival?.place)
    if now.asleepNanoseconds > asleep &+ Self.leastSleep { machine.handle(.slept, at: receipt, perform) }
    asleep = now.asleepNanoseconds
    if let step = reading.step {
      machine.handle(.clockSet(clock.setting, step: step), at: receipt, perform)
    }
    machine.handle(input, at: receipt, perform)
  }

  private func carryOut(_ command: FollowingMachine.Command) {
    switch command {
    case .call(let id, let call): calls?.yield((id, call))
    case .emit(let event):
      emitted.append(event)
      if event.isRelease { hasReleased = true }
    case .tell(let status): tell(status)
    case .hear(let signal): hear(signal)
    }
  }

  /// Hands on what was emitted together.
  private func handOn() {
    let gathers = outlet.yield(emitted)
    emitted.removeAll(keepingCapacity: true)
    // Whoever lets go of a monitor waits for its last.
    if hasReleased {
      hasReleased = false
      return handOver()
    }
    guard gathers, !isGathering else { return }
    isGathering = true
    handOverTimer.set(after: gathering)
  }
}

extension CentralEvent {
  fileprivate var isRelease: Bool {
    if case .released = self { true } else { false }
  }
}
