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
    if row.wereSubscribing, tree.device(at: link.device)?.isPaired != true {
      set(.pairingNeeded, address, detail: Self.refusedPairing)
    } else if monitors[address]?.isAtFault == false {
      // What else is wrong with it is known, and told.
      set(.away, address, detail: "each link ends as soon as it stands")
    }
    keepKernel(from: link.device, address)
  }

  /// bluetoothd pairs by itself for a subscription that wants a bond. Where the monitor refuses, the link
  /// ends, and what bluetoothd 5.66 answers (ATT error 0x0E) says of this no more than of any other end.
  private static let refusedPairing =
    "each link ends when the measurements are subscribed to, as where a bond is wanted and cannot be made"

  /// The kernel would go on, several times a second. It stops for a device that is told to disconnect while
  /// it is not trusted, and begins again with the next Connect to one that is.
  private mutating func keepKernel(from device: ObjectPath, _ address: BluetoothAddress) {
    monitors.update(address) { $0.keepKernel(from: device) }
    callOnly(.setTrusted(device: device, false))
    callOnly(.disconnect(device: device))
  }

  // MARK: - The bond

  /// What the answer to a Connect says of the bond.
  mutating func judgeBond(with address: BluetoothAddress, _ attempt: Purpose.Attempt, _ answer: BlueZAnswer) {
    guard tree.device(at: attempt.device)?.isPaired == true else { return }
    guard case .failed(let error) = answer else { return proveBond(with: address, attempt.device) }
    switch error.meaning {
    case .bondLost:
      loseBond(with: address, attempt.device, error.description)
    case .connectFailed where error.isCancellation: break
    case .connectFailed where now - attempt.since < policy.quickFailure:
      let refusals = monitors.update(address) { $0.refuseBond() } ?? 0
      if refusals >= policy.refusalsOfLostBond {
        loseBond(with: address, attempt.device, "the link cannot be encrypted: \(error.description)")
      }
    case .connectFailed:
      // An absent monitor makes an attempt last, and ends the row of failures.
      monitors.update(address) { $0.forgetFailures() }
    default: break
    }
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
