import Bluetooth
import DBus

/// Monitors without a link: discovery, the kernel's auto-connect, and our own calls of Connect.
extension FollowingMachine {
  mutating func reconcile(_ address: BluetoothAddress, unlinked known: [Device1]) {
    if let obstacle {
      monitors.update(address) { $0.endAttempt() }
      return set(obstacle.state, address)
    }
    let candidates = known.filter { isUsable($0.adapter) }
    guard !candidates.isEmpty else {
      monitors.update(address) { $0.endAttempt() }
      return set(.searching, address)
    }
    if let attempt = monitors[address]?.attempt { return watch(attempt, of: address) }
    setUnlessAtFault(.away, address)
    guard let monitor = monitors[address], monitor.nextAttempt <= now,
      let device = choose(among: candidates, for: monitor)
    else { return }
    guard !isConnecting(by: device.adapter), !isDiscovering(by: device.adapter),
      !isDiscoveryNext(by: device.adapter, before: monitor.nextAttempt)
    else { return }
    connect(device, monitor)
  }

  /// A bond belongs to one adapter; other adapters can connect only without it. The next choice is the
  /// adapter of the last link, then the one with the strongest signal.
  private func choose(among devices: [Device1], for monitor: Monitor) -> Device1? {
    let bonded = devices.filter(\.isPaired)
    return (bonded.isEmpty ? devices : bonded).min { lhs, rhs in
      rank(lhs, monitor) != rank(rhs, monitor)
        ? rank(lhs, monitor) < rank(rhs, monitor) : (lhs.rssi ?? .min) > (rhs.rssi ?? .min)
    }
  }

  /// Returns the rank of an adapter; the lowest is tried first. An adapter that has just failed comes last,
  /// so that several take turns. A device that the kernel must not connect to comes first, because our
  /// Connect ends that.
  private func rank(_ device: Device1, _ monitor: Monitor) -> Int {
    if monitor.keptFromKernel.contains(device.path) { return -1 }
    if device.adapter == monitor.lastFailedAdapter { return 2 }
    return tree.adapter(at: device.adapter)?.address == monitor.preferredAdapter ? 0 : 1
  }

  // MARK: - An attempt

  private mutating func connect(_ device: Device1, _ monitor: Monitor) {
    let address = monitor.address
    if !device.isTrusted, !device.isPaired {
      // After a Disconnect, bluetoothd lets the kernel connect again only if the device is trusted. A bonded
      // device becomes trusted once its bond has proved to work.
      callOnly(.setTrusted(device: device.path, true))
    }
    let id = call(
      .connect(device: device.path),
      for: .connect(address, PendingCall.Attempt(device: device.path, since: now)))
    monitors.update(address) {
      $0.beginAttempt(
        ConnectionAttempt(device: device.path, adapter: device.adapter, call: id, since: now))
    }
    setUnlessAtFault(.connecting, address)
  }

  /// Cancels our attempt after its timeout. Waits for the end of another client's attempt, then clears it.
  private mutating func watch(_ attempt: ConnectionAttempt, of address: BluetoothAddress) {
    guard now >= attempt.deadline(by: policy), daemonAnswers() else { return }
    if attempt.isCancelled {
      // Connect has no answer even after the Disconnect, so bluetoothd will not send one.
      return fail(attempt, of: address)
    }
    monitors.update(address) { $0.cancelAttempt(at: now) }
    callOnly(.disconnect(device: attempt.device))
  }

  /// Handles the answer to Connect. A success is not decisive: the object tree shows whether there is a link.
  mutating func connectAnswered(_ answer: BlueZReply, to id: CallID, _ address: BluetoothAddress) {
    // Ignore answers to earlier attempts.
    guard let attempt = monitors[address]?.attempt, attempt.call == id, !attempt.isForeign else { return }
    guard case .failed(let error) = answer else {
      return monitors.update(address) { monitor in
        monitor.endAttempt()
        // bluetoothd may have reported the link already, and the link may have ended.
        if monitor.link?.standing == nil { monitor.nextAttempt = now + policy.firstRetry }
      } ?? ()
    }
    switch error.meaning {
    case .inProgress:
      // Another client is connecting to the device, and a link of its making serves us as well.
      monitors.update(address) { $0.leaveAttemptToOthers(at: now) }
      return
    case .alreadyDone:
      monitors.update(address) {
        $0.endAttempt()
        $0.nextAttempt = now + policy.firstRetry
      }
      return
    // `judge` evaluates these errors for a bonded monitor. Without a bond they explain nothing to the user.
    case .bondLost, .connectFailed: break
    default:
      monitors.update(address) { $0.detail = error.description }
    }
    fail(attempt, of: address)
  }

  private mutating func fail(_ attempt: ConnectionAttempt, of address: BluetoothAddress) {
    let hasOthers = usableAdapters.count > 1
    monitors.update(address) {
      $0.failAttempt(by: hasOthers ? attempt.adapter : nil)
      $0.countFruitlessAttempt()
    }
    retryLater(address)
  }

  // MARK: - The next attempt

  mutating func retryLater(_ address: BluetoothAddress) {
    guard let monitor = monitors[address] else { return }
    let (longest, chance) = (longestRetry(of: monitor), random())
    monitors.update(address) { monitor in
      monitor.retryLater(within: longest, chance: chance, now: now)
      if monitor.state == .bondLost { monitor.nextAttempt = now + policy.recheck }
    }
    setUnlessAtFault(.away, address)
  }

  /// Returns the maximum delay between attempts. It may be long if the kernel connects as well: an adapter
  /// has our GattProfile1, no other client keeps a discovery open on it, and the monitor is not excluded
  /// because of a lost bond.
  private func longestRetry(of monitor: Monitor) -> Duration {
    if monitor.state == .bondLost { return policy.recheck }
    let isHelped = usableAdapters.contains {
      duties[$0.path]?.registration == .done && (!$0.isDiscovering || isDiscovering(by: $0.path))
    }
    return isHelped ? policy.longestRetry : policy.longestRetryAlone
  }
}
