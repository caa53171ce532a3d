import Bluetooth

/// The names that peripherals advertise, for the moment when one of them is connected.
///
/// Bounded: a busy place has thousands of advertisers with changing addresses, and all but a few are never
/// connected.
struct AdvertisedNames: Sendable {
  private static let capacity = 4096

  private var names: [BluetoothAddress: String] = [:]

  mutating func remember(_ name: String, of address: BluetoothAddress) {
    if names.count >= Self.capacity, names[address] == nil { names.removeAll() }
    names[address] = name
  }

  func name(of address: BluetoothAddress) -> String? { names[address] }
}
