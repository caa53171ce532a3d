import Bluetooth
import DBus

/// Detects whether bluetoothd answers. A bluetoothd that is stopped, starved or stuck reports nothing about
/// the monitors and executes requests late. Therefore, before a monitor is blamed for silence or a link is
/// ended, bluetoothd must have sent a message recently; if not, it is pinged.
extension FollowingMachine {
  /// The liveness of bluetoothd.
  struct DaemonWatch {
    /// When bluetoothd sent its last message.
    var lastWord: BootTime?
    /// When the unanswered ping was sent.
    var askedSince: BootTime?
    /// The ping was not answered in time.
    var isUnresponsive = false
    /// The monitors with the states that were reported before `daemonUnresponsive`.
    var told: [Monitor] = []
    /// Calls that failed with a timeout while it is not known whether bluetoothd answers at all.
    var unanswered: [(id: CallID, answer: BlueZReply, pendingCall: PendingCall)] = []
    /// Calls that were pending when bluetoothd continued after a stop.
    var delayed: Set<CallID> = []
  }

  /// A ping is unanswered. Until then no monitor is blamed and no link is ended.
  var isDaemonInDoubt: Bool { daemon.askedSince != nil }

  /// Returns whether bluetoothd has sent a message recently. If not, it is pinged, and the reply causes the
  /// caller's check to run again.
  mutating func daemonAnswers() -> Bool {
    if let lastWord = daemon.lastWord, now - lastWord <= policy.freshWord { return !isDaemonInDoubt }
    askDaemon()
    return false
  }

  /// Handles a timeout of a call. Only if bluetoothd answers is it a failure of the call.
  ///
  /// - Returns: Whether the failure is postponed until that is known, or the call is repeated.
  mutating func postpone(_ answer: BlueZReply, to id: CallID, for pendingCall: PendingCall) -> Bool {
    let wasDelayed = daemon.delayed.remove(id) != nil
    guard case .failed(let error) = answer, error.meaning == .noAnswer, !pendingCall.isPing else {
      return false
    }
    if wasDelayed {
      repeatCall(for: pendingCall, id, answer)
      return true
    }
    guard !daemonAnswers() else { return false }
    daemon.unanswered.append((id, answer, pendingCall))
    return true
  }

  /// Repeats a call that timed out while bluetoothd did not run, because the timeout says nothing about the
  /// monitor. bluetoothd has executed the first call by then, however late, and the answer to the second
  /// shows it.
  private mutating func repeatCall(for pendingCall: PendingCall, _ id: CallID, _ answer: BlueZReply) {
    switch pendingCall {
    case .subscribe(let address, let path):
      giveBackUnwanted(path, of: address)
      guard monitors[address]?.link?.standing?.subscription == .requested else { return }
      call(.startNotify(characteristic: path), for: .subscribe(address, path))
    case .renew(let address, let path):
      giveBackUnwanted(path, of: address)
      guard case .active? = monitors[address]?.link?.standing?.subscription else { return }
      call(.startNotify(characteristic: path), for: .renew(address, path))
    case .resubscribe(let address, let path):
      guard monitors[address]?.link?.standing?.subscription == .requested else { return }
      subscribeAnew(address, path)
    case .connect(let address, _):
      if monitors[address]?.attempt?.call == id { monitors.update(address) { $0.endAttempt() } }
    default:
      apply(answer, to: id, for: pendingCall)
    }
  }

  private mutating func askDaemon() {
    guard !isDaemonInDoubt else { return }
    daemon.askedSince = now
    call(.ping, for: .probe)
  }

  /// Records that bluetoothd sent a message, of whatever kind.
  mutating func hearDaemon() {
    guard let since = daemon.askedSince else { return daemon.lastWord = now }
    let watch = daemon
    daemon = DaemonWatch(lastWord: now, delayed: watch.delayed)
    let stoodStill = now - since >= policy.stoodStill
    if stoodStill {
      daemon.delayed.formUnion(purposes.keys)
      let stop = QueueTimes.Stop(lastWord: watch.lastWord, end: now)
      for address in monitors.addresses { monitors.update(address) { $0.resume(after: stop) } }
    }
    if watch.isUnresponsive {
      for before in watch.told where monitors[before.address]?.state == .daemonUnresponsive {
        guard let state = before.state else { continue }
        set(state, before.address, detail: before.detail)
        if before.isFaultInDoubt { monitors.update(before.address) { $0.doubtFault() } }
      }
    }
    for (id, answer, pendingCall) in watch.unanswered {
      if stoodStill {
        repeatCall(for: pendingCall, id, answer)
      } else {
        apply(answer, to: id, for: pendingCall)
      }
    }
  }

  /// Handles the answer to a ping, or its timeout.
  mutating func pingAnswered(_ answer: BlueZReply) {
    guard case .failed(let error) = answer, error.meaning == .noAnswer else { return }
    if daemon.askedSince == nil { daemon.askedSince = now }
    daemon.isUnresponsive = true
    if !purposes.values.contains(.probe) { call(.ping, for: .probe) }
  }

  /// Reports for each monitor that bluetoothd does not answer.
  mutating func tellUnresponsive() {
    for address in monitors.addresses {
      guard let monitor = monitors[address], let state = monitor.state, state != .daemonUnresponsive
      else { continue }
      daemon.told.append(monitor)
      set(.daemonUnresponsive, address)
    }
    for monitor in monitors.addresses where monitors[monitor]?.state == nil {
      set(.daemonUnresponsive, monitor)
    }
  }
}
