import Bluetooth
import DBus

/// The machine's output.
extension FollowingMachine {
  /// Sends a call, or answers it with an error if it must not be sent
  /// (``ObjectTree/acquisition(affectedBy:)``).
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

  /// Sends a call whose answer is ignored, unless it must not be sent.
  mutating func callOnly(_ call: BlueZCall) {
    guard tree.acquisition(affectedBy: call) == nil else { return }
    lastCall += 1
    commands.append(.call(lastCall, call))
  }

  mutating func emit(_ event: CentralEvent) { commands.append(.emit(event)) }

  /// Sets a monitor's state, and reports it if it has changed.
  mutating func set(_ state: FollowState, _ address: BluetoothAddress, detail: String? = nil) {
    guard monitors.update(address, { $0.set(state, detail: detail, now: now) }) == true else { return }
    let link = monitors[address]?.link
    let device = (link?.standing?.device).flatMap { tree.device(at: $0) }
    let adapter = device.flatMap { tree.adapter(at: $0.adapter) }
    // Any answer from the monitor shows that the bond works, because the link is encrypted before data
    // passes.
    let isShown = link.map { $0.hasMeasured || $0.standing?.resolvingSince == nil } ?? false
    commands.append(
      .tell(
        FollowStatus(
          monitor: address, state: state, adapter: adapter?.address, detail: detail,
          isBonded: isShown ? device?.isPaired : nil)))
  }

  /// Sets a monitor's state, unless a problem of the monitor itself is reported.
  mutating func setUnlessAtFault(_ state: FollowState, _ address: BluetoothAddress) {
    guard let monitor = monitors[address], !monitor.isAtFault else { return }
    let isHinted =
      monitor.fruitlessAttempts >= policy.attemptsBeforeHint
      || monitor.awaySince.map { now - $0 >= policy.awayBeforeHint } ?? false
    set(state, address, detail: state == .away && isHinted ? Self.noConnection : nil)
  }

  /// bluetoothd reports the same for a monitor that accepts no connection as for one that is away.
  private static let noConnection =
    "all attempts to connect failed. Is the monitor worn? Is it connected to a phone or a watch? Many monitors accept only one connection"
}
