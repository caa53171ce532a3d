import Bluetooth
import DBus

/// Links that end as soon as they have begun, and what they say of the monitor and of its bond.
extension FollowingMachine {
  // MARK: - Links

  /// A link ended before anything came of it. Several in a row are not chance: the monitor is left alone for
  /// a while, by the kernel too, and then it is our Connect whose answer tells what becomes of a bond.
  mutating func noteShortLink(_ address: BluetoothAddress, _ link: MonitorLink.Standing) {
    let row = monitors.update(address) {
      $0.countShortLink(wasSubscribing: link.wasSubscribing, by: policy, now: now)
    }
    guard let row = row ?? nil else { return }
    let chance = random()
    monitors.update(address) { $0.rest(chance: chance, now: now) }
    // What else is wrong with it is known, and told.
    if monitors[address]?.isAtFault == false { tell(row, of: address, link.device) }
    keepKernel(from: link.device, address)
  }

  private mutating func tell(_ row: ShortLinks, of address: BluetoothAddress, _ device: ObjectPath) {
    guard row.wereSubscribing, tree.device(at: device)?.isPaired != true else {
      return set(.away, address, detail: "each link ends as soon as it stands")
    }
    set(.pairingNeeded, address, detail: Self.refusedPairing)
    monitors.update(address) { $0.doubtFault() }
  }

  /// bluetoothd pairs by itself for a subscription that wants a bond. Where the monitor refuses, the link
  /// ends, and what bluetoothd 5.66 answers (ATT error 0x0E) says of this no more than of any other end.
  private static let refusedPairing =
    "each link ends when the measurements are subscribed to, as where a bond is wanted and cannot be made; a weak radio looks the same"

  /// The monitor is not there. What was only concluded from its links may have been the edge of its range.
  private mutating func noteAbsence(_ address: BluetoothAddress) {
    monitors.update(address) { $0.forgetFailures() }
    guard let monitor = monitors[address], monitor.isFaultInDoubt else { return }
    let isRefused = monitor.state == .timingRefused
    set(
      .away, address,
      detail: isRefused
        ? nil
        : "its last links ended when the measurements were subscribed to: too far away, or it wants a bond (hrgate pair \(address))"
    )
  }

  /// The kernel would go on, several times a second. It stops for a device that is told to disconnect while
  /// it is not trusted, and begins again with the next Connect to one that is.
  private mutating func keepKernel(from device: ObjectPath, _ address: BluetoothAddress) {
    monitors.update(address) { $0.keepKernel(from: device) }
    callOnly(.setTrusted(device: device, false))
    callOnly(.disconnect(device: device))
  }

  // MARK: - The bond

  /// What the answer to a Connect says of the monitor and of its bond.
  mutating func judge(_ address: BluetoothAddress, by attempt: Purpose.Attempt, _ answer: BlueZAnswer) {
    let isPaired = tree.device(at: attempt.device)?.isPaired == true
    guard case .failed(let error) = answer else {
      return isPaired ? proveBond(with: address, attempt.device) : ()
    }
    switch error.meaning {
    case .bondLost where isPaired:
      loseBond(with: address, attempt.device, error.description)
    case .connectFailed:
      if let link = monitors[address]?.beginOfLink(to: attempt.device, since: attempt.since) {
        // Ended by us, it was not refused.
        guard isPaired, !error.isCancellation, now - link < policy.quickFailure else { return }
        refuseBond(with: address, attempt.device, error)
      } else if now - attempt.since >= policy.quickFailure {
        // An absent monitor makes an attempt last until it is cancelled.
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

  /// A link of a bonded monitor was encrypted: bluetoothd lets nothing pass before that.
  mutating func proveBond(with address: BluetoothAddress, _ device: ObjectPath) {
    monitors.update(address) { $0.proveBond() }
    if monitors[address]?.state == .bondLost {
      set(monitors[address]?.link?.standing == nil ? .away : .resolving, address)
    }
    // The kernel may connect again, where it was kept from it.
    if tree.device(at: device)?.isTrusted == false { callOnly(.setTrusted(device: device, true)) }
  }
}
