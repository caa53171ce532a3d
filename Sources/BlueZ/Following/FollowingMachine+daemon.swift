import Bluetooth
import DBus

/// Detects whether bluetoothd responds. While it is stopped or overloaded, it reports nothing about the
/// monitors and executes requests late. So before a monitor is reported as silent or its link is closed,
/// bluetoothd must have sent a message recently; otherwise it is pinged first.
extension FollowingMachine {
  /// What is known about bluetoothd's responsiveness.
  struct DaemonWatch {
    /// When bluetoothd sent its last message.
    var lastMessage: BootTime?
    /// When the unanswered ping was sent.
    var askedSince: BootTime?
    /// Whether the ping was not answered before its timeout.
    var isUnresponsive = false
    /// The monitors with the states that they had before `daemonUnresponsive` was reported.
    var reported: [Monitor] = []
    /// Calls that timed out while a ping is unanswered. They are handled once it is known whether bluetoothd
    /// responds.
    var unanswered: [(id: CallID, reply: BlueZReply, pendingCall: PendingCall)] = []
    /// Calls that were unanswered when bluetoothd resumed after a stop. If one of them times out, this does
    /// not count as a failure of the monitor.
    var delayed: Set<CallID> = []
  }

  /// Whether a ping is unanswered. Meanwhile, no monitor is reported as silent and no link is closed.
  var isDaemonInDoubt: Bool { daemon.askedSince != nil }

  /// Returns whether bluetoothd has sent a message recently. Otherwise pings it; the caller runs again when
  /// the reply arrives.
  mutating func daemonAnswers() -> Bool {
    if let lastMessage = daemon.lastMessage, now - lastMessage <= policy.freshWord { return !isDaemonInDoubt }
    pingDaemon()
    return false
  }

  /// Handles a call that timed out. It has failed only if bluetoothd answers other calls.
  ///
  /// - Returns: Whether the caller has nothing to do, because the failure is handled later or the call is
  ///   repeated.
  mutating func postpone(_ reply: BlueZReply, to id: CallID, for pendingCall: PendingCall) -> Bool {
    let wasDelayed = daemon.delayed.remove(id) != nil
    guard case .failed(let error) = reply, error.meaning == .noAnswer, !pendingCall.isPing else {
      return false
    }
    if wasDelayed {
      repeatCall(for: pendingCall, id, reply)
      return true
    }
    guard !daemonAnswers() else { return false }
    daemon.unanswered.append((id, reply, pendingCall))
    return true
  }

  /// Repeats a call that timed out while bluetoothd was stopped, because such a timeout says nothing about
  /// the monitor. bluetoothd has executed the first call in the meantime, so the reply to the second reveals
  /// the result.
  private mutating func repeatCall(for pendingCall: PendingCall, _ id: CallID, _ reply: BlueZReply) {
    switch pendingCall {
    case .subscribe(let address, let path):
      releaseUnwanted(path, of: address)
      guard monitors[address]?.link?.established?.subscription == .requested else { return }
      call(.startNotify(characteristic: path), for: .subscribe(address, path))
    case .renew(let address, let path):
      releaseUnwanted(path, of: address)
      guard case .active? = monitors[address]?.link?.established?.subscription else { return }
      call(.startNotify(characteristic: path), for: .renew(address, path))
    case .resubscribe(let address, let path):
      guard monitors[address]?.link?.established?.subscription == .requested else { return }
      resubscribe(address, path)
    case .connect(let address, _):
      if monitors[address]?.attempt?.call == id { monitors.update(address) { $0.endAttempt() } }
    default:
      apply(reply, to: id, for: pendingCall)
    }
  }

  private mutating func pingDaemon() {
    guard !isDaemonInDoubt else { return }
    daemon.askedSince = now
    call(.ping, for: .probe)
  }

  /// Records that bluetoothd sent a message of any kind.
  mutating func recordDaemonResponse() {
    guard let since = daemon.askedSince else { return daemon.lastMessage = now }
    let watch = daemon
    daemon = DaemonWatch(lastMessage: now, delayed: watch.delayed)
    let stoodStill = now - since >= policy.stoodStill
    if stoodStill {
      daemon.delayed.formUnion(purposes.keys)
      let stop = QueueTimes.Stop(lastMessage: watch.lastMessage, end: now)
      for address in monitors.addresses { monitors.update(address) { $0.resume(after: stop) } }
    }
    if watch.isUnresponsive {
      for before in watch.reported where monitors[before.address]?.state == .daemonUnresponsive {
        guard let state = before.state else { continue }
        set(state, before.address, detail: before.detail)
        if before.isFailureInDoubt { monitors.update(before.address) { $0.doubtFailure() } }
      }
    }
    for (id, reply, pendingCall) in watch.unanswered {
      if stoodStill {
        repeatCall(for: pendingCall, id, reply)
      } else {
        apply(reply, to: id, for: pendingCall)
      }
    }
  }

  /// Handles the reply to a ping, or its timeout.
  mutating func pingAnswered(_ reply: BlueZReply) {
    guard case .failed(let error) = reply, error.meaning == .noAnswer else { return }
    if daemon.askedSince == nil { daemon.askedSince = now }
    daemon.isUnresponsive = true
    if !purposes.values.contains(.probe) { call(.ping, for: .probe) }
  }

  /// Reports for each monitor that bluetoothd does not respond.
  mutating func reportUnresponsive() {
    for address in monitors.addresses {
      guard let monitor = monitors[address], let state = monitor.state, state != .daemonUnresponsive
      else { continue }
      daemon.reported.append(monitor)
      set(.daemonUnresponsive, address)
    }
    for monitor in monitors.addresses where monitors[monitor]?.state == nil {
      set(.daemonUnresponsive, monitor)
    }
  }
}
