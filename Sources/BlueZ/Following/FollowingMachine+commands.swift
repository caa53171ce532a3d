import Bluetooth
import DBus

/// The output of the state machine: calls to bluetoothd and states of monitors.
extension FollowingMachine {
  /// Sends a call. If it would end or break another program's AcquireNotify
  /// (``ObjectTree/acquisition(affectedBy:)``), it is handled as failed instead.
  @discardableResult
  mutating func call(_ call: BlueZCall, for pendingCall: PendingCall) -> CallID {
    lastCall += 1
    guard tree.acquisition(affectedBy: call) == nil else {
      apply(.failed(.notifyAcquired), to: lastCall, for: pendingCall)
      return lastCall
    }
    purposes[lastCall] = pendingCall
    commands.append(.call(lastCall, call))
    return lastCall
  }

  /// Sends a call whose reply is ignored. Does nothing if it would end or break another program's
  /// AcquireNotify (``ObjectTree/acquisition(affectedBy:)``).
  mutating func callOnly(_ call: BlueZCall) {
    guard tree.acquisition(affectedBy: call) == nil else { return }
    lastCall += 1
    commands.append(.call(lastCall, call))
  }

  mutating func emit(_ event: CentralEvent) { commands.append(.emit(event)) }

  /// Sets a monitor's state, and reports it to the user if it has changed.
  mutating func set(_ state: FollowState, _ address: BluetoothAddress, detail: String? = nil) {
    guard monitors.update(address, { $0.set(state, detail: detail, now: now) }) == true else { return }
    let link = monitors[address]?.link
    let device = (link?.established?.device).flatMap { tree.device(at: $0) }
    let adapter = device.flatMap { tree.adapter(at: $0.adapter) }
    // Data arrives only once the link is encrypted, so any response from the monitor shows that the bond
    // works.
    let isShown = link.map { $0.hasMeasured || $0.established?.resolvingSince == nil } ?? false
    commands.append(
      .report(
        FollowStatus(
          monitor: address, state: state, adapter: adapter?.address, detail: detail,
          isBonded: isShown ? device?.isPaired : nil)))
  }

  /// Sets a monitor's state, unless the current state is a problem of the monitor itself, such as a lost
  /// bond.
  mutating func setUnlessAtFault(_ state: FollowState, _ address: BluetoothAddress) {
    guard let monitor = monitors[address], !monitor.isFailing else { return }
    let isHinted =
      monitor.fruitlessAttempts >= policy.attemptsBeforeHint
      || monitor.awaySince.map { now - $0 >= policy.awayBeforeHint } ?? false
    set(state, address, detail: state == .away && isHinted ? Self.noConnection : nil)
  }

  /// bluetoothd reports the same error for a monitor that is out of range and one that rejects the
  /// connection, so the text names both.
  private static let noConnection =
    "all attempts to connect failed. Is the monitor worn? Is it connected to a phone or a watch? Many monitors accept only one connection"
}
