/// A string characteristic of the Device Information Service 1.2 (§3.1–3.6; 0x2A24–0x2A29).
public struct DeviceInformationString: Hashable, Sendable {
  /// The UUIDs of the characteristics that contain a string of this kind.
  public static let characteristics: [BluetoothUUID] = [
    .manufacturerNameString, .modelNumberString, .serialNumberString, .hardwareRevisionString,
    .firmwareRevisionString, .softwareRevisionString,
  ]

  /// The text, which may be empty.
  public var text: String

  public init(_ text: String) { self.text = text }

  /// Decodes UTF-8. The text ends at the first NUL: the specification does not define a terminator, but some
  /// monitors pad the value with NULs.
  ///
  /// - Throws: ``GATTDecodingError`` if the bytes before the first NUL are not UTF-8. An empty value is not
  ///   an error.
  public init(decoding bytes: RawSpan, of characteristic: BluetoothUUID) throws(GATTDecodingError) {
    let characters = bytes.copiedBytes().prefix { $0 != 0 }
    guard let text = String(validating: characters, as: UTF8.self) else {
      throw GATTDecodingError(.notUTF8, characteristic, bytes)
    }
    self.text = text
  }

  /// Decodes a value like `init(decoding:of:)` for bytes.
  /// - Throws: ``GATTDecodingError`` if the bytes before the first NUL are not UTF-8.
  public init(decoding value: AttributeValue, of characteristic: BluetoothUUID) throws(GATTDecodingError) {
    self = try value.withBytes { bytes throws(GATTDecodingError) in
      try DeviceInformationString(decoding: bytes, of: characteristic)
    }
  }

  public var encoded: AttributeValue { AttributeValue(Array(text.utf8)) }
}
