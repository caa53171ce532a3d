import Bluetooth
import BlueZ

/// A peripheral as `--json` prints it.
struct SeenLine: Encodable {
  var address: String
  var addressType: String
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
    name = seen.name
    rssi = seen.rssi
    appearance = seen.appearance.map(Int.init)
    paired = seen.isPaired
    connected = seen.isConnected
    heartRateService = seen.hasHeartRateService
    enrolled = isEnrolled
  }
}
