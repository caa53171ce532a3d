/// A value of a GATT characteristic that can be decoded and encoded.
public protocol CharacteristicValue: Hashable, Sendable {
  static var uuid: BluetoothUUID { get }

  /// - Throws: ``GATTDecodingError`` if no field can be decoded.
  init(decoding bytes: RawSpan) throws(GATTDecodingError)

  /// The encoded value.
  var encoded: AttributeValue { get }
}

extension CharacteristicValue {
  /// - Throws: ``GATTDecodingError`` if no field can be decoded.
  public init(decoding value: AttributeValue) throws(GATTDecodingError) {
    self = try value.withBytes { bytes throws(GATTDecodingError) in try Self(decoding: bytes) }
  }
}

extension GATTDecodingError {
  init(_ reason: Reason, _ characteristic: BluetoothUUID, _ bytes: RawSpan) {
    self.init(reason, characteristic: characteristic, bytes: bytes.copiedBytes())
  }
}

/// An error for a characteristic value in which no field can be decoded.
///
/// A partly invalid value is not an error: the valid fields are decoded, and an anomaly such as
/// ``HeartRateMeasurement/Anomaly`` is reported.
public struct GATTDecodingError: Error, Hashable, Sendable {
  /// The reason why no field could be decoded.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// The value is empty.
    case empty
    /// The value ends within its first required field.
    case tooShort
    /// A byte has a value that the specification reserves for future use.
    case reservedValue
    /// The value is not UTF-8.
    case notUTF8
  }

  /// The reason why no field could be decoded.
  public var reason: Reason
  public var characteristic: BluetoothUUID
  /// The received bytes. They are not included in `description`, because they may contain a health value.
  public var bytes: [UInt8]

  public init(_ reason: Reason, characteristic: BluetoothUUID, bytes: [UInt8]) {
    self.reason = reason
    self.characteristic = characteristic
    self.bytes = bytes
  }
}

extension GATTDecodingError: CustomStringConvertible {
  public var description: String { "\(characteristic): \(reason.rawValue), \(bytes.count) bytes" }
}
