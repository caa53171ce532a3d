import Bluetooth
import DBus

/// Runs ``FollowingMachine``: feeds it inputs with their times, sends its calls to bluetoothd, and delivers
/// its events. It runs on the thread that reads the bus, so that a measurement does not need a task switch.
actor Follower {
  typealias Call = (id: FollowingMachine.CallID, call: BlueZCall)

  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.unownedExecutor }

  /// How often the wall clock is checked for a change, in nanoseconds. It is not checked at each input,
  /// because reading a clock is a system call on some machines.
  private static let lookInterval: UInt64 = 500_000_000

  private var machine: FollowingMachine
  /// Shortest detectable suspension of the computer, in nanoseconds. A shorter one cannot be distinguished
  /// from the delay between reading CLOCK_BOOTTIME and CLOCK_MONOTONIC.
  private static let leastSleep: UInt64 = 500_000_000

  private var clock: ReceiptClock
  private var lastLook: UInt64 = 0
  /// The total time that the computer had been suspended at the last check, in nanoseconds.
  private var asleep: UInt64
  private var queue: BoundedEventQueue
  private let gathering: Duration
  private let report: @Sendable (FollowStatus) -> Void
  private let hear: @Sendable (HeardSignal) -> Void
  /// Sends ``FollowingMachine/Input/timer`` when the state machine's deadline has passed.
  private lazy var timer = LoopTimer(on: loop) { [weak self] in self?.assumeIsolated { $0.timeHasCome() } }
  /// When ``timer`` fires. Each measurement postpones the state machine's deadline, but the timer is not
  /// moved each time: letting it fire too early once costs less.
  private var timerTime: BootTime?
  private lazy var handOverTimer = LoopTimer(on: loop) { [weak self] in self?.assumeIsolated { $0.handOver() }
  }
  /// The events that the state machine emitted for the current input. ``hasReleased`` is true if `released`
  /// is among them.
  private var emitted: [CentralEvent] = []
  private var hasReleased = false
  /// Whether the queue holds events and ``handOverTimer`` is set to deliver them.
  private var isGathering = false
  /// The current session and the calls to send over it; `nil` without a bus connection.
  private var session: BlueZSession?
  private var calls: AsyncStream<Call>.Continuation?

  init(
    on loop: EventLoop, onlyAdapter: BluetoothAddress?, clock: ReceiptClock?, policy: FollowingPolicy,
    buffer: EventBuffer, gathering: Duration, hear: @escaping @Sendable (HeardSignal) -> Void,
    report: @escaping @Sendable (FollowStatus) -> Void
  ) {
    let now = SystemClocks.now()
    self.clock = clock ?? ReceiptClock(boottimeNanoseconds: now.boottimeNanoseconds, wall: now.wall)
    asleep = now.asleepNanoseconds
    machine = FollowingMachine(
      policy: policy, onlyAdapter: onlyAdapter, applicationRoot: HeartRateProfile.root,
      start: Receipt(boot: BootTime(nanoseconds: now.boottimeNanoseconds), time: now.wall))
    self.loop = loop
    queue = BoundedEventQueue(buffer, gathers: gathering > .zero)
    self.gathering = gathering
    self.hear = hear
    self.report = report
  }

  // MARK: - Inputs

  func busOpened(_ session: BlueZSession, _ calls: AsyncStream<Call>.Continuation) {
    self.session = session
    self.calls = calls
    handle(.busOpened)
  }

  /// Handles a failure to connect to the bus. The caller tries again later.
  func busAway(_ error: BusError) {
    if let accessFailure = BusAccessFailure(opening: error) { refused(accessFailure) } else { busLost() }
  }

  func busLost() {
    endSession()
    handle(.busLost)
  }

  func refused(_ accessFailure: BusAccessFailure) {
    endSession()
    handle(.refused(accessFailure))
  }

  /// Handles bluetoothd's signals until the connection ends.
  ///
  /// - Throws: ``BusError``.
  func listen(to session: BlueZSession) async throws {
    try await session.listen(
      values: { path, bytes, arrival in
        self.assumeIsolated { $0.handle(.value(path, AttributeValue(bytes)), arrived: arrival) }
      },
      { event, arrival in handle(.tree(event), arrived: arrival) })
  }

  func answered(_ reply: BlueZReply, to id: FollowingMachine.CallID) { handle(.answered(id, reply)) }

  func follow(_ monitors: [FollowedMonitor]) { handle(.monitors(monitors)) }

  private func timeHasCome() {
    timerTime = nil
    handle(.timer)
  }

  /// Handles due timers. Runs on the thread that reads the bus.
  func respondToProbe() { handle(.timer) }

  /// Ends this program's subscriptions and connection attempts.
  ///
  /// - Returns: The calls that the caller has to send, and the session to send them over. The machine ignores
  ///   all later inputs.
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
    queue.release()
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
          senderPosition: arrival?.senderPosition), perform)
    }
    let now = SystemClocks.now()
    lastLook = now.boottimeNanoseconds
    let boottime = arrival?.boottimeNanoseconds ?? now.boottimeNanoseconds
    let reading = clock.receiptTime(
      boottimeNanoseconds: boottime, wallNow: now.wall, boottimeNow: now.boottimeNanoseconds)
    let receipt = Receipt(
      boot: BootTime(nanoseconds: boottime), time: reading.time, senderPosition: arrival?.senderPosition)
    // Report a suspension or a clock change before the input, because receipt times before and after it
    // cannot be compared.
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
    case .report(let status): report(status)
    case .hear(let signal): hear(signal)
    }
  }

  /// Passes the emitted events to the queue.
  private func handOn() {
    let gathers = queue.yield(emitted)
    emitted.removeAll(keepingCapacity: true)
    // A caller that stopped following a monitor waits for its `released` event, so deliver it now.
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
