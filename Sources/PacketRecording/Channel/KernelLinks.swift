import Bluetooth
import CBluetooth
import Glibc

/// Asks the kernel for the peer of a connection.
///
/// The kernel has the identity keys of bonded peers, so it knows the identity address behind a private
/// address. It also knows connections that are older than the recording, which the monitor channel does not
/// report.
final class KernelLinks {
  private static let lowEnergy: UInt8 = 0x80
  private let descriptor: Int32

  init() {
    // A raw HCI socket does not need privileges. If it cannot be opened, the peers stay unknown.
    descriptor = socket(AF_BLUETOOTH, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), BTPROTO_HCI)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Returns the peer's address of an LE connection: its identity address if the kernel knows it.
  /// - Returns: The 48 bits of the address. The kernel does not report whether it is public or random.
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
