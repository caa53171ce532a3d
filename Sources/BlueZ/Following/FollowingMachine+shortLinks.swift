import Bluetooth
import DBus

/// Links, and attempts at them, that end as soon as they have begun. A row of them is the bond's fault, or
/// the monitor's.
extension FollowingMachine {
  /// With a bond, so many in a row are its fault: one side has lost the keys, and the other closes each link
  /// that it cannot encrypt.
  mutating func suspectBond(_ address: BluetoothAddress, _ device: ObjectPath, _ detail: String) {
    guard tree.device(at: device)?.isPaired == true, countQuickFailure(address) else { return }
    set(.bondLost, address, detail: detail)
    keepKernel(from: device, address)
  }

  /// Without a bond, so many in a row are the monitor's fault.
  mutating func noteShortLink(_ address: BluetoothAddress, _ device: ObjectPath) {
    guard tree.device(at: device)?.isPaired != true else {
      return suspectBond(address, device, "each link ends before it is encrypted")
    }
    // What is wrong with it is known, and told.
    guard monitors[address]?.isAtFault == false, countQuickFailure(address) else { return }
    let chance = random()
    monitors.update(address) { $0.rest(chance: chance, now: now) }
    set(.away, address, detail: "each link ends as soon as it stands")
    keepKernel(from: device, address)
  }

  /// The kernel would go on, several times a second. It stops for a device that is told to disconnect while
  /// it is not trusted, and begins again with the next Connect to one that is.
  private mutating func keepKernel(from device: ObjectPath, _ address: BluetoothAddress) {
    monitors.update(address) { $0.keepKernel(from: device) }
    callOnly(.setTrusted(device: device, false))
    callOnly(.disconnect(device: device))
  }

  /// - Returns: Whether there are too many in a row to be chance.
  private mutating func countQuickFailure(_ address: BluetoothAddress) -> Bool {
    monitors.update(address) { $0.countQuickFailure(by: policy, now: now) } ?? false
  }
}
