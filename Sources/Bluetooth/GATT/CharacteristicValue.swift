/// The value of one characteristic, read from its octets and written to them.
public protocol CharacteristicValue: Hashable, Sendable {
  static var uuid: BluetoothUUID { get }

  /// - Throws: ``DecodingFailure``, with the octets, where nothing can be read.
  init(decoding bytes: RawSpan) throws(DecodingFailure)

  /// The octets that decode to this value.
  var encoded: AttributeValue { get }
}

extension CharacteristicValue {
  /// - Throws: ``DecodingFailure``, with the octets, where nothing can be read.
  public init(decoding value: AttributeValue) throws(DecodingFailure) {
    self = try value.withBytes { bytes throws(DecodingFailure) in try Self(decoding: bytes) }
  }
}

extension DecodingFailure {
  init(_ reason: Reason, _ characteristic: BluetoothUUID, _ bytes: RawSpan) {
    self.init(reason, characteristic: characteristic, bytes: bytes.copiedBytes())
  }
}
