import Bluetooth
import DBus

/// Whether bluetoothd answers. One that stands still (stopped, starved, stuck) says nothing of the monitors
/// and executes late what it was asked: so before a monitor is blamed for its silence, and before anything is
/// sent that ends a link, bluetoothd must have said something, or it is asked.
extension FollowingMachine {
  /// What is known of it.
  struct DaemonWatch {
    /// When it said something last.
    var lastWord: BootTime?
    /// Since when the answer to a ping has been awaited.
    var askedSince: BootTime?
    /// It did not answer in time.
    var isUnresponsive = false
    /// The monitors as they were told before.
    var told: [Monitor] = []
    /// Calls that were not answered, while it is not known whether bluetoothd answers at all.
    var unanswered: [(id: CallID, answer: BlueZAnswer, purpose: Purpose)] = []
    /// Calls that had waited when it went on.
    var delayed: Set<CallID> = []
  }

  /// Nothing that blames or ends anything may be done now.
  var isDaemonInDoubt: Bool { daemon.askedSince != nil }

  /// bluetoothd has just shown that it answers. Otherwise it is asked, and whoever wanted to know asks again
  /// after its answer.
  mutating func daemonAnswers() -> Bool {
    if let lastWord = daemon.lastWord, now - lastWord <= policy.freshWord { return !isDaemonInDoubt }
    askDaemon()
    return false
  }

  /// A call was not answered in time. That is the callee's fault only where bluetoothd answers.
  ///
  /// - Returns: Whether the answer waits until that is known, or the call is repeated.
  mutating func postpone(_ answer: BlueZAnswer, to id: CallID, for purpose: Purpose) -> Bool {
    let wasDelayed = daemon.delayed.remove(id) != nil
    guard case .failed(let error) = answer, error.meaning == .noAnswer, !purpose.isPing else { return false }
    if wasDelayed {
      repeatCall(for: purpose, id, answer)
      return true
    }
    guard !daemonAnswers() else { return false }
    daemon.unanswered.append((id, answer, purpose))
    return true
  }

  /// bluetoothd stood still while a call waited, so that it was not answered says nothing of the monitor. It
  /// is made again. bluetoothd has executed it by then, however late, and says so.
  private mutating func repeatCall(for purpose: Purpose, _ id: CallID, _ answer: BlueZAnswer) {
    switch purpose {
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
      apply(answer, to: id, for: purpose)
    }
  }

  private mutating func askDaemon() {
    guard !isDaemonInDoubt else { return }
    daemon.askedSince = now
    call(.ping, for: .probe)
  }

  /// It said something, whatever it was.
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
    for (id, answer, purpose) in watch.unanswered {
      if stoodStill { repeatCall(for: purpose, id, answer) } else { apply(answer, to: id, for: purpose) }
    }
  }

  /// The answer to a ping, or its absence.
  mutating func pingAnswered(_ answer: BlueZAnswer) {
    guard case .failed(let error) = answer, error.meaning == .noAnswer else { return }
    if daemon.askedSince == nil { daemon.askedSince = now }
    daemon.isUnresponsive = true
    if !purposes.values.contains(.probe) { call(.ping, for: .probe) }
  }

  /// Says of each monitor that it waits for bluetoothd.
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
