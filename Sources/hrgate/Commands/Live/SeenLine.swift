import BlueZ
import Bluetooth

/// A peripheral as `--json` prints it.
struct SeenLine: Encodable {
  var address: String
  var addressType: String
  /// `public`, `static`, `resolvable` or `nonResolvable`.
  var addressKind: String?
  var name: String?
  /// dBm.
  var rssi: Int?
  var appearance: Int?
  var paired: Bool
  var connected: Bool
  /// It was seen with the Heart Rate Service (0x180D).
  var heartRateService: Bool
  var enrolled: Bool

  init(_ seen: SeenPeripheral, isEnrolled: Bool) {
    address = seen.address.description
    addressType = seen.address.kind.text
    addressKind = seen.address.subtype?.word
    name = seen.name
    rssi = seen.rssi
    appearance = seen.appearance.map(Int.init)
    paired = seen.isPaired
    connected = seen.isConnected
    heartRateService = seen.hasHeartRateService
    enrolled = isEnrolled
  }
}

extension BluetoothAddress.Subtype {
  /// The word in JSON. A promise.
  fileprivate var word: String {
    switch self {
    case .publicDevice: "public"
    case .staticDevice: "static"
    case .resolvablePrivate: "resolvable"
    case .nonResolvablePrivate: "nonResolvable"
    }
  }
}
