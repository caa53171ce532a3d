import Bluetooth
import DBus

@testable import BlueZ

/// A monitor in the air of ``FakeDaemon``, and what is wrong with it.
struct FakeStrap {
  let number: Int
  var isAway = false
  /// Adapters that do not hear it.
  var outOfReach: Set<ObjectPath> = []
  /// The link stands, and nothing is notified.
  var isMute = false
  /// It answers no request.
  var isFrozen = false
  /// It closes each link after so many milliseconds.
  var closesAfter: ClosedRange<Int>?
  /// No link comes about, however near it is: each attempt fails at once.
  var takesNoLink = false
  /// It has forgotten the bond: links end at once.
  var hasLostBond = false
  /// Subscriptions are not answered, as where bluetoothd pairs for them by itself and nobody says yes.
  var ignoresSubscriptions = false
  var wantsPairing = false
  /// It wants a bond and makes none.
  var refusesPairing = false
  /// It has no measurement.
  var lacksMeasurement = false
  /// Its attributes are elsewhere than before; what bluetoothd remembers is refused.
  var shift = 0
  /// Between two measurements, in milliseconds.
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

  /// The measurement, by an adapter.
  func measurement(by adapter: ObjectPath) -> ObjectPath {
    path(by: adapter).child("service\(10 + shift)").child("char\(11 + shift)")
  }

  /// The services as bluetoothd finds them now.
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
