/// The value of a characteristic, which can be decoded and encoded.
public protocol CharacteristicValue: Hashable, Sendable {
  static var uuid: BluetoothUUID { get }

  /// - Throws: ``GATTDecodingError``, with the bytes, if nothing can be decoded.
  init(decoding bytes: RawSpan) throws(GATTDecodingError)

  /// The encoded value.
  var encoded: AttributeValue { get }
}

extension CharacteristicValue {
  /// - Throws: ``GATTDecodingError``, with the bytes, if nothing can be decoded.
  public init(decoding value: AttributeValue) throws(GATTDecodingError) {
    self = try value.withBytes { bytes throws(GATTDecodingError) in try Self(decoding: bytes) }
  }
}

extension GATTDecodingError {
  init(_ reason: Reason, _ characteristic: BluetoothUUID, _ bytes: RawSpan) {
    self.init(reason, characteristic: characteristic, bytes: bytes.copiedBytes())
  }
}

/// The error for a characteristic's value of which no field can be decoded, with its bytes.
///
/// A value that can be decoded in part causes no error: the valid fields are decoded, and the deviation is an
/// anomaly.
public struct GATTDecodingError: Error, Hashable, Sendable {
  /// Why nothing could be decoded.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// The value has no bytes.
    case empty
    /// The value ends before the end of its first required field.
    case tooShort
    /// A byte has a value that the specification reserves.
    case reservedValue
    /// The value is not UTF-8.
    case notUTF8
  }

  /// Why nothing could be decoded.
  public var reason: Reason
  public var characteristic: BluetoothUUID
  /// The value as received. It is not in `description`, because it may be a health value.
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
