import Bluetooth
import DBus

@testable import BlueZ

/// A monitor in range of ``FakeDaemon``, with its faults.
struct FakeStrap {
  let number: Int
  var isAway = false
  /// Adapters that do not receive the strap.
  var outOfReach: Set<ObjectPath> = []
  /// Whether the strap sends no notifications although there is a link.
  var isMute = false
  /// Whether the strap does not answer requests.
  var isFrozen = false
  /// The milliseconds after which the strap closes each link; `nil` to keep links.
  var closesAfter: ClosedRange<Int>?
  /// Whether all attempts to connect fail immediately, although the strap is near.
  var takesNoLink = false
  /// Whether the strap has lost the bond, so that links end immediately.
  var hasLostBond = false
  /// Whether subscriptions get no reply, as while bluetoothd pairs for them and the user does not accept.
  var ignoresSubscriptions = false
  var wantsPairing = false
  /// Whether the strap requires a bond but does not pair.
  var refusesPairing = false
  /// Whether the strap has no measurement characteristic.
  var lacksMeasurement = false
  /// The offset by which the strap's attributes have moved. Requests with cached handles fail.
  var shift = 0
  /// The time between two measurements, in milliseconds.
  var pace = 700...1300
  var sent: UInt16 = 0
  /// When each measurement was sent.
  var sentAt: [BootTime] = []

  init(_ number: Int) { self.number = number }

  static func address(_ number: Int) -> BluetoothAddress {
    BluetoothAddress(bits: 0xF00D_BEA7_0100 + UInt64(number), kind: .random)
  }

  var address: BluetoothAddress { Self.address(number) }

  func path(by adapter: ObjectPath) -> ObjectPath { adapter.child("dev_\(number)") }

  /// Returns the path of the measurement on an adapter.
  func measurement(by adapter: ObjectPath) -> ObjectPath {
    path(by: adapter).child("service\(10 + shift)").child("char\(11 + shift)")
  }

  /// Returns the services as bluetoothd finds them now.
  func services(below device: ObjectPath) -> [(path: ObjectPath, interfaces: [String: Properties])] {
    let heart = device.child("service\(10 + shift)")
    let info = device.child("service\(20 + shift)")
    func characteristic(_ service: ObjectPath, _ number: Int, _ uuid: BluetoothUUID, _ flags: [String])
      -> (ObjectPath, [String: Properties])
    {
      (
        service.child("char\(number + shift)"),
        [
          BlueZInterface.gattCharacteristic: [
            "UUID": .string(uuid.fullForm), "Flags": .strings(flags), "Notifying": .boolean(false),
            "NotifyAcquired": .boolean(false),
          ]
        ]
      )
    }
    var services = [
      (heart, [BlueZInterface.gattService: ["UUID": DBusValue.string(BluetoothUUID.heartRate.fullForm)]]),
      characteristic(heart, 12, .bodySensorLocation, ["read"]),
      characteristic(heart, 13, .heartRateControlPoint, ["write"]),
      (info, [BlueZInterface.gattService: ["UUID": .string(BluetoothUUID.deviceInformation.fullForm)]]),
      characteristic(info, 21, .manufacturerNameString, ["read"]),
    ]
    if !lacksMeasurement { services.append(characteristic(heart, 11, .heartRateMeasurement, ["notify"])) }
    return services.map { (path: $0.0, interfaces: $0.1) }
  }
}

extension ObjectPath {
  func child(_ name: String) -> ObjectPath {
    guard let path = appending(name) else { preconditionFailure("no path element: \(name)") }
    return path
  }
}
