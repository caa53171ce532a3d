/// A peripheral that a scan has received or that the host is connected to.
///
/// Its JSON form is the output of `hrgate scan --json`. Unknown values are omitted.
public struct SeenPeripheral: Hashable, Sendable {
  public var address: BluetoothAddress
  /// The advertised or read name. It may contain arbitrary text.
  public var name: String?
  /// The signal strength of the last advertisement in dBm; `nil` if none was received in this scan.
  public var rssi: Int?
  /// The GAP appearance, such as 0x0341 for a heart-rate belt (Assigned Numbers, §2.6).
  public var appearance: UInt16?
  public var isPaired = false
  public var isConnected = false
  /// Whether the peripheral has or advertised the Heart Rate Service (0x180D).
  public var hasHeartRateService = false
  /// Whether the peripheral's appearance is that of a heart-rate sensor.
  public var looksLikeHeartRateSensor = false
  /// Whether the peripheral is already paired in the store for which the scan is made.
  public var isEnrolled = false

  public init(address: BluetoothAddress) { self.address = address }
}

extension SeenPeripheral: Encodable {
  private enum CodingKeys: String, CodingKey {
    case address, addressType, addressKind, name, rssi, appearance, paired, connected, heartRateService
    case enrolled
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(address.description, forKey: .address)
    try container.encode(address.kind.name, forKey: .addressType)
    try container.encodeIfPresent(address.subtype.map(Self.word), forKey: .addressKind)
    try container.encodeIfPresent(name, forKey: .name)
    try container.encodeIfPresent(rssi, forKey: .rssi)
    try container.encodeIfPresent(appearance, forKey: .appearance)
    try container.encode(isPaired, forKey: .paired)
    try container.encode(isConnected, forKey: .connected)
    try container.encode(hasHeartRateService, forKey: .heartRateService)
    try container.encode(isEnrolled, forKey: .enrolled)
  }

  private static func word(for subtype: BluetoothAddress.Subtype) -> String {
    switch subtype {
    case .publicDevice: "public"
    case .staticDevice: "static"
    case .resolvablePrivate: "resolvable"
    case .nonResolvablePrivate: "nonResolvable"
    }
  }
}
