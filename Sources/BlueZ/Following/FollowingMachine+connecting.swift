import Bluetooth
import DBus

/// Monitors that are not connected: discovery, the kernel's auto-connect, and Connect calls.
extension FollowingMachine {
  mutating func reconcile(_ address: BluetoothAddress, unlinked known: [Device1]) {
    if let blocker {
      monitors.update(address) { $0.endAttempt() }
      return set(blocker.state, address)
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

  /// Chooses the device object, and thus the adapter, for the next attempt. A bond belongs to one adapter, so
  /// an adapter with a bond is preferred. Next comes the adapter of the last link, then the one with the
  /// strongest signal.
  private func choose(among devices: [Device1], for monitor: Monitor) -> Device1? {
    let bonded = devices.filter(\.isPaired)
    return (bonded.isEmpty ? devices : bonded).min { lhs, rhs in
      rank(lhs, monitor) != rank(rhs, monitor)
        ? rank(lhs, monitor) < rank(rhs, monitor) : (lhs.rssi ?? .min) > (rhs.rssi ?? .min)
    }
  }

  /// Returns the rank of a device object; the lowest is tried first. An adapter whose attempt has just failed
  /// comes last. A device to which the kernel is kept from connecting comes first, because only a Connect
  /// ends that.
  private func rank(_ device: Device1, _ monitor: Monitor) -> Int {
    if monitor.keptFromKernel.contains(device.path) { return -1 }
    if device.adapter == monitor.lastFailedAdapter { return 2 }
    return tree.adapter(at: device.adapter)?.address == monitor.preferredAdapter ? 0 : 1
  }

  // MARK: - An attempt

  private mutating func connect(_ device: Device1, _ monitor: Monitor) {
    let address = monitor.address
    if !device.isTrusted, !device.isPaired {
      // After a Disconnect, the kernel reconnects only if the device is trusted. A bonded device is set to
      // trusted only once its bond has proved to work.
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

  /// Cancels this program's attempt when it times out. For another client's attempt, stops waiting.
  private mutating func watch(_ attempt: ConnectionAttempt, of address: BluetoothAddress) {
    guard now >= attempt.deadline(by: policy), daemonAnswers() else { return }
    if attempt.isCancelled {
      // Connect was not answered even after the Disconnect, so no reply will come.
      return fail(attempt, of: address)
    }
    monitors.update(address) { $0.cancelAttempt(at: now) }
    callOnly(.disconnect(device: attempt.device))
  }

  /// Handles the reply to Connect. Success does not prove that there is a link; only the object tree does.
  mutating func connectAnswered(_ reply: BlueZReply, to id: CallID, _ address: BluetoothAddress) {
    // Ignore the reply to an earlier attempt.
    guard let attempt = monitors[address]?.attempt, attempt.call == id, !attempt.isForeign else { return }
    guard case .failed(let error) = reply else {
      return monitors.update(address) { monitor in
        monitor.endAttempt()
        // If bluetoothd reported a link and its end before this reply, the next attempt is already scheduled.
        if monitor.link?.established == nil { monitor.nextAttempt = now + policy.firstRetry }
      } ?? ()
    }
    switch error.meaning {
    case .inProgress:
      // Another client is connecting to the device. Its link can be used as well.
      monitors.update(address) { $0.leaveAttemptToOtherProgram(at: now) }
      return
    case .alreadyDone:
      monitors.update(address) {
        $0.endAttempt()
        $0.nextAttempt = now + policy.firstRetry
      }
      return
    // Do not show the texts of these errors. If the monitor is bonded, the method `judge` uses the errors to
    // detect a lost bond. If it is not bonded, the texts do not help the user.
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

  /// Returns the maximum delay between Connect calls. It is longer if the kernel also connects, which
  /// requires a registered profile and an adapter on which no other client keeps a discovery open. For a lost
  /// bond, it is ``FollowingPolicy/recheck``.
  private func longestRetry(of monitor: Monitor) -> Duration {
    if monitor.state == .bondLost { return policy.recheck }
    let isHelped = usableAdapters.contains {
      duties[$0.path]?.registration == .done && (!$0.isDiscovering || isDiscovering(by: $0.path))
    }
    return isHelped ? policy.longestRetry : policy.longestRetryAlone
  }
}
