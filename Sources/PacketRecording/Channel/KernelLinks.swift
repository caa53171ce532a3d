import Bluetooth
import CBluetooth
import Glibc

/// The connections known to the kernel.
///
/// The kernel resolves private addresses, because it has the identity keys. It also knows the connections
/// that were open before the recording began, which the monitor channel does not report.
final class KernelLinks {
  private static let lowEnergy: UInt8 = 0x80
  private let descriptor: Int32

  init() {
    // A raw HCI socket needs no privileges. Without it, no connection is known.
    descriptor = socket(AF_BLUETOOTH, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), BTPROTO_HCI)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Returns the peer of an LE connection, by its identity if the kernel knows it.
  /// - Returns: The 48 bits of the address. The kernel does not report the kind of address.
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
