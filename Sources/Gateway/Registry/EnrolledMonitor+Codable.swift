import Bluetooth
import HealthStorage
import Ingestion

/// The JSON object has the members of `hrgate monitors --json`. Unknown values are omitted.
extension EnrolledMonitor: Codable {
  private enum CodingKeys: String, CodingKey {
    case name, location, battery, bonded, enrolled, lastSeen, lastMeasurement, adapter, adapterType, state
  }

  public func encode(to encoder: any Encoder) throws {
    try address.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(name, forKey: .name)
    try description.record.information.encode(to: encoder)
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
    deviceInformation = MonitorDescription.deviceInformation(try DeviceInformationRecord(from: decoder))
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
