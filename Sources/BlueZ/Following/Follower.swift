import Bluetooth
import BluetoothCentral
import DBus

/// The rim of ``FollowingMachine``: gives it the time, performs what it wants done, and hands on what it says.
actor Follower {
  typealias Call = (id: FollowingMachine.CallID, call: BlueZCall)

  private var machine: FollowingMachine
  private var clock: ReceiptClock
  private var outlet: EventOutlet
  private let alarm: Alarm
  private let tell: @Sendable (FollowStatus) -> Void
  /// When the alarm rings. Deadlines move on with each measurement; the alarm need not, and looks again when it rings.
  private var alarmTime: BootTime?
  /// Where calls go while the bus is there.
  private var calls: AsyncStream<Call>.Continuation?

  init(
    onlyAdapter: BluetoothAddress?, floor: ReceiptTime?, policy: FollowingPolicy, outlet: EventOutlet,
    alarm: Alarm,
    tell: @escaping @Sendable (FollowStatus) -> Void
  ) {
    let now = SystemClocks.now()
    clock = ReceiptClock(boottimeNanoseconds: now.boottimeNanoseconds, wall: now.wall, floor: floor)
    machine = FollowingMachine(
      policy: policy, onlyAdapter: onlyAdapter, applicationRoot: HeartRateProfile.root,
      start: Receipt(boot: BootTime(nanoseconds: now.boottimeNanoseconds), time: now.wall))
    self.outlet = outlet
    self.alarm = alarm
    self.tell = tell
  }

  // MARK: - What happens

  func busOpened(_ calls: AsyncStream<Call>.Continuation) {
    self.calls = calls
    handle(.busOpened)
  }

  func busLost() {
    calls?.finish()
    calls = nil
    handle(.busLost)
  }

  func refused(_ refusal: Refusal) {
    calls?.finish()
    calls = nil
    handle(.refused(refusal))
  }

  func take(_ happening: BlueZSession.Happening) {
    switch happening {
    case .event(let event, let arrival): handle(.tree(event), arrived: arrival.boottimeNanoseconds)
    case .daemonIsAbsent: handle(.tree(.daemonVanished))
    case .signalsLost(let count): handle(.signalsLost(count))
    }
  }

  func take(_ answer: BlueZAnswer, to id: FollowingMachine.CallID) { handle(.answered(id, answer)) }

  func follow(_ monitors: [FollowedMonitor]) { handle(.monitors(monitors)) }

  func ring() {
    alarmTime = nil
    handle(.timer)
  }

  /// Gives back what bluetoothd holds for the gateway.
  ///
  /// - Returns: The calls for it, for the caller to perform: nothing is done after this.
  func stop() -> [BlueZCall] {
    var given: [BlueZCall] = []
    for command in commands(for: .stop) {
      if case .call(_, let call) = command { given.append(call) } else { carryOut([command]) }
    }
    alarm.set(after: nil)
    return given
  }

  // MARK: - Steps

  private func handle(_ input: FollowingMachine.Input, arrived boottime: UInt64? = nil) {
    carryOut(commands(for: input, arrived: boottime))
    guard machine.mayBeDueEarlier || alarmTime == nil else { return }
    machine.mayBeDueEarlier = false
    guard let deadline = machine.deadline, deadline < alarmTime ?? .distantFuture else { return }
    alarmTime = deadline
    alarm.set(after: deadline - machine.now)
  }

  private func commands(
    for input: FollowingMachine.Input, arrived boottime: UInt64? = nil
  ) -> [FollowingMachine.Command] {
    let now = SystemClocks.now()
    let boottime = boottime ?? now.boottimeNanoseconds
    let reading = clock.receiptTime(
      boottimeNanoseconds: boottime, wallNow: now.wall, boottimeNow: now.boottimeNanoseconds)
    let receipt = Receipt(boot: BootTime(nanoseconds: boottime), time: reading.time)
    let before = reading.step.map { machine.handle(.clockStepped($0), at: receipt) } ?? []
    return before + machine.handle(input, at: receipt)
  }

  private func carryOut(_ commands: [FollowingMachine.Command]) {
    var batch: [CentralEvent] = []
    for command in commands {
      switch command {
      case .call(let id, let call): calls?.yield((id, call))
      case .emit(let event): batch.append(event)
      case .tell(let status): tell(status)
      }
    }
    outlet.yield(batch)
  }
}
