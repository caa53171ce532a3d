import Bluetooth
import Ingestion

/// The JSON object has the members of `hrgate monitors --json`. Unknown values are omitted.
extension EnrolledMonitor: Codable {
  private enum CodingKeys: String, CodingKey {
    case name, manufacturer, model, serialNumber, hardware, firmware, software, location, battery, bonded
    case enrolled, lastSeen, lastMeasurement, adapter, adapterType, state
  }

  public func encode(to encoder: any Encoder) throws {
    try address.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(name, forKey: .name)
    try container.encodeIfPresent(manufacturer, forKey: .manufacturer)
    try container.encodeIfPresent(model, forKey: .model)
    try container.encodeIfPresent(serialNumber, forKey: .serialNumber)
    try container.encodeIfPresent(hardwareRevision, forKey: .hardware)
    try container.encodeIfPresent(firmwareRevision, forKey: .firmware)
    try container.encodeIfPresent(softwareRevision, forKey: .software)
    try container.encodeIfPresent(sensorLocation.map { "\($0)" }, forKey: .location)
    try container.encodeIfPresent(battery, forKey: .battery)
    try container.encode(isBonded, forKey: .bonded)
    try container.encode(enrolled, forKey: .enrolled)
    try container.encodeIfPresent(lastSeen, forKey: .lastSeen)
    try container.encodeIfPresent(lastMeasurement, forKey: .lastMeasurement)
    try container.encodeIfPresent(adapter?.description, forKey: .adapter)
    try container.encodeIfPresent(state?.rawValue, forKey: .state)
    // The type is omitted for public addresses, which most adapters have, as in hrgate's other JSON.
    if let adapter, adapter.kind == .random { try container.encode(adapter.kind.name, forKey: .adapterType) }
    try settings.encode(to: encoder)
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      address: try BluetoothAddress(from: decoder),
      name: try container.decodeIfPresent(String.self, forKey: .name),
      isBonded: try container.decode(Bool.self, forKey: .bonded),
      enrolled: try container.decode(ReceiptTime.self, forKey: .enrolled))
    manufacturer = try container.decodeIfPresent(String.self, forKey: .manufacturer)
    model = try container.decodeIfPresent(String.self, forKey: .model)
    serialNumber = try container.decodeIfPresent(String.self, forKey: .serialNumber)
    hardwareRevision = try container.decodeIfPresent(String.self, forKey: .hardware)
    firmwareRevision = try container.decodeIfPresent(String.self, forKey: .firmware)
    softwareRevision = try container.decodeIfPresent(String.self, forKey: .software)
    let location = try container.decodeIfPresent(String.self, forKey: .location)
    sensorLocation = BodySensorLocation.allCases.first { "\($0)" == location }
    battery = try container.decodeIfPresent(Int.self, forKey: .battery)
    lastSeen = try container.decodeIfPresent(ReceiptTime.self, forKey: .lastSeen)
    lastMeasurement = try container.decodeIfPresent(ReceiptTime.self, forKey: .lastMeasurement)
    let isRandom = try container.decodeIfPresent(String.self, forKey: .adapterType) == "random"
    adapter = try container.decodeIfPresent(String.self, forKey: .adapter).flatMap {
      BluetoothAddress($0, kind: isRandom ? .random : .publicDevice)
    }
    state = try container.decodeIfPresent(String.self, forKey: .state).map(MonitorState.init(rawValue:))
    settings = try MonitorSettings(from: decoder)
  }
}
