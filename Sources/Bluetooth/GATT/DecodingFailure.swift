/// A characteristic's value that cannot be read at all, with the octets as they came.
///
/// A value that can be read in part is not a failure: what is sound is decoded and the deviation is an
/// anomaly.
public struct DecodingFailure: Error, Hashable, Sendable {
  /// Why nothing could be read.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// There are no octets.
    case empty
    /// The octets end before the first field that a value cannot do without.
    case tooShort
    /// An octet has a value that the specification reserves.
    case reservedValue
    /// The octets are not UTF-8.
    case notUTF8
  }

  public var reason: Reason
  public var characteristic: BluetoothUUID
  /// The value as received. Not in `description`: it may say something about a person.
  public var bytes: [UInt8]

  public init(_ reason: Reason, characteristic: BluetoothUUID, bytes: [UInt8]) {
    self.reason = reason
    self.characteristic = characteristic
    self.bytes = bytes
  }
}

extension DecodingFailure: CustomStringConvertible {
  public var description: String { "\(characteristic): \(reason.rawValue), \(bytes.count) bytes" }
}
