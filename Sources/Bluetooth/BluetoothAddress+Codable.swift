/// The JSON form: two members, `address` and `addressType` (`public` or `random`), of the object that
/// contains the address.
extension BluetoothAddress: Codable {
  private enum CodingKeys: String, CodingKey {
    case address, addressType
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(description, forKey: .address)
    try container.encode(kind.name, forKey: .addressType)
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let (text, type) = (
      try container.decode(String.self, forKey: .address),
      try container.decode(String.self, forKey: .addressType)
    )
    guard let kind = Kind.allCases.first(where: { $0.name == type }) else {
      throw DecodingError.dataCorruptedError(
        forKey: .addressType, in: container,
        debugDescription: "an address type must be public or random, not \(type)")
    }
    guard let address = BluetoothAddress(text, kind: kind) else {
      throw DecodingError.dataCorruptedError(
        forKey: .address, in: container, debugDescription: "not a Bluetooth address: \(text)")
    }
    self = address
  }
}

extension BluetoothAddress.Kind {
  /// BlueZ's name for the address type, which `--json` also prints.
  public var name: String {
    switch self {
    case .publicDevice: "public"
    case .random: "random"
    }
  }
}
