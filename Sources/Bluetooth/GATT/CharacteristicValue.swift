/// The value of a characteristic, which can be decoded and encoded.
public protocol CharacteristicValue: Hashable, Sendable {
  static var uuid: BluetoothUUID { get }

  /// - Throws: ``DecodingFailure``, with the bytes, if nothing can be decoded.
  init(decoding bytes: RawSpan) throws(DecodingFailure)

  /// The encoded value.
  var encoded: AttributeValue { get }
}

extension CharacteristicValue {
  /// - Throws: ``DecodingFailure``, with the bytes, if nothing can be decoded.
  public init(decoding value: AttributeValue) throws(DecodingFailure) {
    self = try value.withBytes { bytes throws(DecodingFailure) in try Self(decoding: bytes) }
  }
}

extension DecodingFailure {
  init(_ reason: Reason, _ characteristic: BluetoothUUID, _ bytes: RawSpan) {
    self.init(reason, characteristic: characteristic, bytes: bytes.copiedBytes())
  }
}
