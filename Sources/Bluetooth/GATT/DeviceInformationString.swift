/// A string of the Device Information Service 1.2, §3.1–3.6: 0x2A24–0x2A29.
public struct DeviceInformationString: Hashable, Sendable {
  /// The characteristics with such strings.
  public static let characteristics: [BluetoothUUID] = [
    .manufacturerNameString, .modelNumberString, .serialNumberString, .hardwareRevisionString,
    .firmwareRevisionString, .softwareRevisionString,
  ]

  /// The text, which may be empty.
  public var text: String

  public init(_ text: String) { self.text = text }

  /// Decodes UTF-8. The specification has no terminator, but some monitors pad with NULs, so the text ends at
  /// the first NUL.
  ///
  /// - Throws: ``GATTDecodingError`` if the bytes before the first NUL are not UTF-8. An empty value is an
  ///   empty text.
  public init(decoding bytes: RawSpan, of characteristic: BluetoothUUID) throws(GATTDecodingError) {
    let octets = bytes.copiedBytes().prefix { $0 != 0 }
    guard let text = String(validating: octets, as: UTF8.self) else {
      throw GATTDecodingError(.notUTF8, characteristic, bytes)
    }
    self.text = text
  }

  /// Decodes a value in the same way.
  /// - Throws: ``GATTDecodingError`` as for the bytes.
  public init(decoding value: AttributeValue, of characteristic: BluetoothUUID) throws(GATTDecodingError) {
    self = try value.withBytes { bytes throws(GATTDecodingError) in
      try DeviceInformationString(decoding: bytes, of: characteristic)
    }
  }

  public var encoded: AttributeValue { AttributeValue(Array(text.utf8)) }
}
