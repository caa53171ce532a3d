import Bluetooth
import DBus

/// Monitors without a link: searched for, left to the kernel, and helped by a call now and then.
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

  /// A bond is with one adapter: another can only connect without it. Then comes the adapter of the last
  /// link, then the one that hears it best.
  private func choose(among devices: [Device1], for monitor: Monitor) -> Device1? {
    let bonded = devices.filter(\.isPaired)
    return (bonded.isEmpty ? devices : bonded).min { lhs, rhs in
      rank(lhs, monitor) != rank(rhs, monitor)
        ? rank(lhs, monitor) < rank(rhs, monitor) : (lhs.rssi ?? .min) > (rhs.rssi ?? .min)
    }
  }

  /// An adapter that has just failed comes last, so that several take turns.
  /// One that the kernel is kept from comes first: our Connect ends that.
  private func rank(_ device: Device1, _ monitor: Monitor) -> Int {
    if monitor.keptFromKernel.contains(device.path) { return -1 }
    if device.adapter == monitor.lastFailedAdapter { return 2 }
    return tree.adapter(at: device.adapter)?.address == monitor.preferredAdapter ? 0 : 1
  }

  // MARK: - An attempt

  private mutating func connect(_ device: Device1, _ monitor: Monitor) {
    let address = monitor.address
    if !device.isTrusted, !device.isPaired {
      // bluetoothd lets the kernel connect again after a Disconnect only for a trusted device. One with a
      // bond is trusted as soon as the bond shows that it holds.
      callOnly(.setTrusted(device: device.path, true))
    }
    let id = call(
      .connect(device: device.path), for: .connect(address, Purpose.Attempt(device: device.path, since: now)))
    monitors.update(address) {
      $0.beginAttempt(
        ConnectionAttempt(device: device.path, adapter: device.adapter, call: id, since: now))
    }
    setUnlessAtFault(.connecting, address)
  }

  /// Ours is cancelled when it has lasted too long; somebody else's is waited for, and then cleared away.
  private mutating func watch(_ attempt: ConnectionAttempt, of address: BluetoothAddress) {
    guard now >= attempt.deadline(by: policy), daemonAnswers() else { return }
    if attempt.isCancelled {
      // Neither outcome came: bluetoothd owes an answer that it will not give.
      return fail(attempt, of: address)
    }
    monitors.update(address) { $0.cancelAttempt(at: now) }
    callOnly(.disconnect(device: attempt.device))
  }

  /// A success says little: the link shows in the tree, or it does not.
  mutating func connectAnswered(_ answer: BlueZAnswer, to id: CallID, _ address: BluetoothAddress) {
    // Not the answer to an attempt before this one.
    guard let attempt = monitors[address]?.attempt, attempt.call == id, !attempt.isForeign else { return }
    guard case .failed(let error) = answer else {
      return monitors.update(address) { monitor in
        monitor.endAttempt()
        // bluetoothd may have said so already, and the link may be gone again.
        if monitor.link?.standing == nil { monitor.nextAttempt = now + policy.firstRetry }
      } ?? ()
    }
    switch error.meaning {
    case .inProgress:
      monitors.update(address) { $0.leaveAttemptToOthers(at: now) }
      return
    case .alreadyDone:
      monitors.update(address) {
        $0.endAttempt()
        $0.nextAttempt = now + policy.firstRetry
      }
      return
    // What these say of a bond is judged elsewhere, and without one they say little.
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

  // MARK: - The next one

  mutating func retryLater(_ address: BluetoothAddress) {
    guard let monitor = monitors[address] else { return }
    let (longest, chance) = (longestRetry(of: monitor), random())
    monitors.update(address) { monitor in
      monitor.retryLater(within: longest, chance: chance, now: now)
      if monitor.state == .bondLost { monitor.nextAttempt = now + policy.recheck }
    }
    setUnlessAtFault(.away, address)
  }

  /// Attempts may become rare where the kernel connects by itself: by an adapter that has our GattProfile1
  /// and on which no discovery of somebody else's stays open, and not to a monitor that it is kept from for
  /// its lost bond.
  private func longestRetry(of monitor: Monitor) -> Duration {
    if monitor.state == .bondLost { return policy.recheck }
    let isHelped = usableAdapters.contains {
      duties[$0.path]?.registration == .done && (!$0.isDiscovering || isDiscovering(by: $0.path))
    }
    return isHelped ? policy.longestRetry : policy.longestRetryAlone
  }
}
