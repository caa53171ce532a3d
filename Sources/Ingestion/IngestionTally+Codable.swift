import Bluetooth

extension Rejection: Codable, CodingKeyRepresentable {}

/// The JSON object contains the counts of the `end` event of `hrgate run --json`, except the per-monitor
/// counts.
extension IngestionTally: Codable {
  private enum CodingKeys: CodingKey {
    case measurements, stored, duplicates, rejected, sealed, anomalies, refusedClockChanges
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(measurements, forKey: .measurements)
    try container.encode(stored, forKey: .stored)
    try container.encode(duplicates, forKey: .duplicates)
    try container.encode(rejected, forKey: .rejected)
    try container.encode(anomalies, forKey: .anomalies)
    if sealed > 0 { try container.encode(sealed, forKey: .sealed) }
    if refusedClockChanges > 0 { try container.encode(refusedClockChanges, forKey: .refusedClockChanges) }
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    measurements = try container.decode(Int.self, forKey: .measurements)
    stored = try container.decode([String: Int].self, forKey: .stored)
    duplicates = try container.decode(Int.self, forKey: .duplicates)
    rejected = try container.decode([Rejection: Int].self, forKey: .rejected)
    anomalies = try container.decode([String: Int].self, forKey: .anomalies)
    sealed = try container.decodeIfPresent(Int.self, forKey: .sealed) ?? 0
    refusedClockChanges = try container.decodeIfPresent(Int.self, forKey: .refusedClockChanges) ?? 0
  }
}

extension MonitorTally: Codable {
  private enum CodingKeys: CodingKey {
    case name, source, measurements, lastMeasurement, openGap, surplusIntervals, intervalRatio, withoutContact
  }

  public func encode(to encoder: any Encoder) throws {
    if case .address(let address) = peripheral { try address.encode(to: encoder) }
    try settings.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(bundleIdentifier, forKey: .source)
    try container.encode(measurements, forKey: .measurements)
    try container.encodeIfPresent(lastReceipt, forKey: .lastMeasurement)
    try container.encodeIfPresent(openGap?.rawValue, forKey: .openGap)
    try container.encode(surplusIntervals, forKey: .surplusIntervals)
    try container.encodeIfPresent(intervalRatio, forKey: .intervalRatio)
    try container.encode(withoutContact, forKey: .withoutContact)
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let address = try? BluetoothAddress(from: decoder)
    peripheral = address.map(PeripheralIdentity.address) ?? .unidentified(link: 0)
    name = try container.decode(String.self, forKey: .name)
    bundleIdentifier = try container.decode(String.self, forKey: .source)
    measurements = try container.decode(Int.self, forKey: .measurements)
    lastReceipt = try container.decodeIfPresent(ReceiptTime.self, forKey: .lastMeasurement)
    openGap = try container.decodeIfPresent(String.self, forKey: .openGap).map {
      GapCause(rawValue: $0) ?? .unknown
    }
    surplusIntervals = try container.decode(Int.self, forKey: .surplusIntervals)
    intervalRatio = try container.decodeIfPresent(Double.self, forKey: .intervalRatio)
    withoutContact = try container.decode(Int.self, forKey: .withoutContact)
    settings = try MonitorSettings(from: decoder)
  }
}

/// The JSON uses the names of `hrgate monitors --json`: `intervalUnit` (`ms`) and `sensorContact` (`ignore`).
/// Settings with the value of the specification are omitted.
extension MonitorSettings: Codable {
  private enum CodingKeys: CodingKey {
    case intervalUnit, sensorContact
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    if intervalUnit == .milliseconds { try container.encode("ms", forKey: .intervalUnit) }
    if ignoresSensorContact { try container.encode("ignore", forKey: .sensorContact) }
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    if try container.decodeIfPresent(String.self, forKey: .intervalUnit) == "ms" {
      intervalUnit = .milliseconds
    }
    ignoresSensorContact = try container.decodeIfPresent(String.self, forKey: .sensorContact) == "ignore"
  }
}
