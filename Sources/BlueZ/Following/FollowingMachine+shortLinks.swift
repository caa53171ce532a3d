import Bluetooth
import DBus

/// Links that end as soon as they have begun, and what they show about the monitor and its bond.
extension FollowingMachine {
  // MARK: - Links

  /// Counts a link that ended before it was of use. If there are several in a row, attempts pause for a
  /// while, also the kernel's. After that, the answer to our Connect shows the state of the bond.
  mutating func noteShortLink(_ address: BluetoothAddress, _ link: MonitorLink.Standing) {
    let row = monitors.update(address) {
      $0.countShortLink(wasSubscribing: link.wasSubscribing, by: policy, now: now)
    }
    guard let row = row ?? nil else { return }
    let chance = random()
    monitors.update(address) { $0.rest(chance: chance, now: now) }
    // If another problem is already reported, keep it.
    if monitors[address]?.isAtFault == false { tell(row, of: address, link.device) }
    keepKernel(from: link.device, address)
  }

  private mutating func tell(_ row: ShortLinks, of address: BluetoothAddress, _ device: ObjectPath) {
    guard row.wereSubscribing, tree.device(at: device)?.isPaired != true else {
      return set(.away, address, detail: "each link ends as soon as it begins")
    }
    set(.pairingNeeded, address, detail: Self.refusedPairing)
    monitors.update(address) { $0.doubtFault() }
  }

  /// bluetoothd pairs on its own if a subscription requires a bond. If the monitor refuses, the link ends.
  /// bluetoothd 5.66 then answers with ATT error 0x0E, as for any other end of a link.
  private static let refusedPairing =
    "each link ends at the subscription: either the monitor requires a bond that cannot be made, or its signal is weak"

  /// Handles an absent monitor. A problem that was concluded from its links may have been a weak signal.
  private mutating func noteAbsence(_ address: BluetoothAddress) {
    monitors.update(address) { $0.forgetFailures() }
    guard let monitor = monitors[address], monitor.isFaultInDoubt else { return }
    let isRefused = monitor.state == .timingRefused
    set(
      .away, address,
      detail: isRefused
        ? nil
        : "its last links ended at the subscription: it is too far away, or it requires a bond (hrgate pair \(address))"
    )
  }

  /// Keeps the kernel from connecting, which it would do several times a second. It stops after a Disconnect
  /// of an untrusted device, and begins again with the next Connect to a trusted one.
  private mutating func keepKernel(from device: ObjectPath, _ address: BluetoothAddress) {
    monitors.update(address) { $0.keepKernel(from: device) }
    callOnly(.setTrusted(device: device, false))
    callOnly(.disconnect(device: device))
  }

  // MARK: - The bond

  /// Judges the monitor and its bond by the answer to Connect.
  mutating func judge(_ address: BluetoothAddress, by attempt: PendingCall.Attempt, _ answer: BlueZReply) {
    let isPaired = tree.device(at: attempt.device)?.isPaired == true
    guard case .failed(let error) = answer else {
      return isPaired ? proveBond(with: address, attempt.device) : ()
    }
    switch error.meaning {
    case .bondLost where isPaired:
      loseBond(with: address, attempt.device, error.description)
    case .connectFailed:
      if let link = monitors[address]?.beginOfLink(to: attempt.device, since: attempt.since) {
        // A link that we ended was not refused by the monitor.
        guard isPaired, !error.isCancellation, now - link < policy.quickFailure else { return }
        refuseBond(with: address, attempt.device, error)
      } else if now - attempt.since >= policy.quickFailure {
        // With an absent monitor, an attempt lasts until it is canceled.
        noteAbsence(address)
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

  /// Records that the link of a bonded monitor was encrypted: no data passes before that.
  mutating func proveBond(with address: BluetoothAddress, _ device: ObjectPath) {
    monitors.update(address) { $0.proveBond() }
    if monitors[address]?.state == .bondLost {
      set(monitors[address]?.link?.standing == nil ? .away : .resolving, address)
    }
    // Allow the kernel to connect again.
    if tree.device(at: device)?.isTrusted == false { callOnly(.setTrusted(device: device, true)) }
  }
}
