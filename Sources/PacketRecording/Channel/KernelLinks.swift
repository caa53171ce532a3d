import Bluetooth
import CBluetooth
import Glibc

/// The links as the kernel knows them. It knows whose a private address is, for it has the keys; and it knows
/// the links that stood before the recording began, of which the monitor channel says nothing.
final class KernelLinks {
  private static let lowEnergy: UInt8 = 0x80
  private let descriptor: Int32

  init() {
    // The raw channel, which anybody may ask. Where there is none, no link is known.
    descriptor = socket(AF_BLUETOOTH, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), BTPROTO_HCI)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The peer of an LE link, by its identity where the kernel knows that.
  ///
  /// - Returns: The 48 bits of its address, since the kernel does not say of which kind they are.
  func peer(_ controller: UInt16, _ handle: UInt16) -> UInt64? {
    guard descriptor >= 0 else { return nil }
    let most = Int(cbluetooth_most_links)
    return withUnsafeTemporaryAllocation(of: hci_conn_info.self, capacity: most) { links in
      let count = Int(cbluetooth_links(descriptor, controller, links.baseAddress))
      guard count > 0 else { return nil }
      return links.prefix(count).first { $0.type == Self.lowEnergy && $0.handle == handle }.flatMap { link in
        withUnsafeBytes(of: link.bdaddr) {
          BluetoothAddress(littleEndian: $0.bytes, at: 0, kind: .publicDevice)?.bits
        }
      }
    }
  }
}
