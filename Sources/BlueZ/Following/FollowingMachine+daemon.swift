import Bluetooth
import BluetoothCentral
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
    /// The states of the monitors from before.
    var states: [(monitor: BluetoothAddress, state: FollowState)] = []
    /// Calls that were not answered, while it is not known whether bluetoothd answers at all.
    var unanswered: [(id: CallID, answer: BlueZAnswer, purpose: Purpose)] = []
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
  /// - Returns: Whether the answer waits until that is known.
  mutating func postpone(_ answer: BlueZAnswer, to id: CallID, for purpose: Purpose) -> Bool {
    guard case .failed(let error) = answer, error.meaning == .noAnswer, !purpose.isPing, !daemonAnswers()
    else { return false }
    daemon.unanswered.append((id, answer, purpose))
    return true
  }

  private mutating func askDaemon() {
    guard !isDaemonInDoubt else { return }
    daemon.askedSince = now
    call(.ping, for: .probe)
  }

  /// It said something, whatever it was.
  mutating func hearDaemon() {
    if let since = daemon.askedSince, now - since >= policy.stoodStill {
      for address in monitors.addresses { monitors.update(address) { $0.resume(at: now) } }
    }
    daemon.lastWord = now
    guard isDaemonInDoubt else { return }
    let watch = daemon
    daemon = DaemonWatch(lastWord: now)
    if watch.isUnresponsive {
      for (monitor, state) in watch.states where monitors[monitor]?.state == .daemonUnresponsive {
        set(state, monitor)
      }
    }
    for item in watch.unanswered { apply(item.answer, to: item.id, for: item.purpose) }
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
      guard let state = monitors[address]?.state, state != .daemonUnresponsive else { continue }
      daemon.states.append((address, state))
      set(.daemonUnresponsive, address)
    }
    for monitor in monitors.addresses where monitors[monitor]?.state == nil {
      set(.daemonUnresponsive, monitor)
    }
  }
}
