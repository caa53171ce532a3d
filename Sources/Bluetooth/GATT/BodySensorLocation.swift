/// Body Sensor Location, 0x2A38 (Heart Rate Service 1.0, §3.2): where the monitor is worn. It does not change
/// during a connection.
public enum BodySensorLocation: UInt8, CharacteristicValue, CaseIterable {
  public static let uuid = BluetoothUUID.bodySensorLocation

  case other = 0
  case chest = 1
  case wrist = 2
  case finger = 3
  case hand = 4
  case earLobe = 5
  case foot = 6

  /// - Throws: ``GATTDecodingError`` for an empty value, and for 7–255, which are reserved. Bytes after the
  ///   first are ignored, because a later revision may add fields.
  public init(decoding bytes: RawSpan) throws(GATTDecodingError) {
    guard let byte = bytes.uint8(at: 0) else { throw GATTDecodingError(.empty, Self.uuid, bytes) }
    guard let location = BodySensorLocation(rawValue: byte) else {
      throw GATTDecodingError(.reservedValue, Self.uuid, bytes)
    }
    self = location
  }

  public var encoded: AttributeValue { AttributeValue([rawValue]) }
}
