import Bluetooth
import DBus

/// Handling of links that end right after they were established, and what they show about the monitor and its
/// bond.
extension FollowingMachine {
  // MARK: - Links

  /// Counts a link that ended too early. After several in a row, all connection attempts pause for a while,
  /// including the kernel's. The reply to the next Connect then shows whether the bond is lost.
  mutating func recordShortLink(_ address: BluetoothAddress, _ link: MonitorLink.EstablishedLink) {
    let row = monitors.update(address) {
      $0.countShortLink(wasSubscribing: link.wasSubscribing, by: policy, now: now)
    }
    guard let row = row ?? nil else { return }
    let chance = random()
    monitors.update(address) { $0.rest(chance: chance, now: now) }
    // If another problem of the monitor is already being reported, keep it.
    if monitors[address]?.isFailing == false { report(row, of: address, link.device) }
    keepKernel(from: link.device, address)
  }

  private mutating func report(_ row: ShortLinks, of address: BluetoothAddress, _ device: ObjectPath) {
    guard row.wereSubscribing, tree.device(at: device)?.isPaired != true else {
      return set(.away, address, detail: "each link ends as soon as it begins")
    }
    set(.pairingNeeded, address, detail: Self.refusedPairing)
    monitors.update(address) { $0.doubtFailure() }
  }

  /// bluetoothd pairs by itself if a subscription requires a bond. If the monitor refuses, the link ends, and
  /// bluetoothd 5.66 replies to StartNotify with ATT error 0x0E. It does so whenever a link ends, so the
  /// cause is uncertain.
  private static let refusedPairing =
    "each link ends at the subscription: either the monitor requires a bond that cannot be made, or its signal is weak"

  /// Handles a monitor that is out of range. A problem that was inferred from its short links may have been a
  /// weak signal, so it is no longer reported.
  private mutating func recordAbsence(_ address: BluetoothAddress) {
    monitors.update(address) { $0.forgetFailures() }
    guard let monitor = monitors[address], monitor.isFailureInDoubt else { return }
    let isRefused = monitor.state == .timingRefused
    set(
      .away, address,
      detail: isRefused
        ? nil
        : "its last links ended at the subscription: it is too far away, or it requires a bond (hrgate pair \(address))"
    )
  }

  /// Keeps the kernel from connecting, which it would otherwise do several times a second. The kernel stops
  /// after a Disconnect of an untrusted device, and resumes with the next Connect to a trusted one.
  private mutating func keepKernel(from device: ObjectPath, _ address: BluetoothAddress) {
    monitors.update(address) { $0.keepKernel(from: device) }
    callOnly(.setTrusted(device: device, false))
    callOnly(.disconnect(device: device))
  }

  // MARK: - The bond

  /// Uses the reply to Connect to determine whether the bond still works.
  mutating func judge(_ address: BluetoothAddress, by attempt: PendingCall.Attempt, _ reply: BlueZReply) {
    let isPaired = tree.device(at: attempt.device)?.isPaired == true
    guard case .failed(let error) = reply else {
      return isPaired ? proveBond(with: address, attempt.device) : ()
    }
    switch error.meaning {
    case .bondLost where isPaired:
      loseBond(with: address, attempt.device, error.description)
    case .connectFailed:
      if let link = monitors[address]?.beginOfLink(to: attempt.device, since: attempt.since) {
        // If this host canceled the attempt, the failure says nothing about the bond.
        guard isPaired, !error.isCancellation, now - link < policy.quickFailure else { return }
        refuseBond(with: address, attempt.device, error)
      } else if now - attempt.since >= policy.quickFailure {
        // A slow attempt fails because the monitor is out of range.
        recordAbsence(address)
      }
    default: break
    }
  }

  private mutating func refuseBond(
    with address: BluetoothAddress, _ device: ObjectPath, _ error: BlueZError
  ) {
    let refusals = monitors.update(address) { $0.refuseBond(by: policy, now: now) } ?? 0
    guard refusals >= policy.refusalsOfLostBond else { return }
    loseBond(with: address, device, "the link cannot be encrypted: \(error.description)")
  }

  private mutating func loseBond(with address: BluetoothAddress, _ device: ObjectPath, _ detail: String) {
    set(.bondLost, address, detail: detail)
    keepKernel(from: device, address)
  }

  /// Records that the bond works: data arrived, so the link was encrypted.
  mutating func proveBond(with address: BluetoothAddress, _ device: ObjectPath) {
    monitors.update(address) { $0.proveBond() }
    if monitors[address]?.state == .bondLost {
      set(monitors[address]?.link?.established == nil ? .away : .resolving, address)
    }
    // Allow the kernel to connect again.
    if tree.device(at: device)?.isTrusted == false { callOnly(.setTrusted(device: device, true)) }
  }
}
