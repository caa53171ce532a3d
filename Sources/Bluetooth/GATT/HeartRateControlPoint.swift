/// Heart Rate Control Point, 0x2A39 (Heart Rate Service 1.0, §3.3): a command to the monitor.
public enum HeartRateControlPoint: UInt8, CharacteristicValue, CaseIterable {
  public static let uuid = BluetoothUUID.heartRateControlPoint

  /// Resets the energy total to 0.
  case resetEnergyExpended = 1

  /// The ATT error code of a monitor that does not support the command.
  public static let notSupportedError: UInt8 = 0x80

  /// - Throws: ``GATTDecodingError`` for an empty value, and for a command that the specification reserves.
  public init(decoding bytes: RawSpan) throws(GATTDecodingError) {
    guard let byte = bytes.uint8(at: 0) else { throw GATTDecodingError(.empty, Self.uuid, bytes) }
    guard let command = HeartRateControlPoint(rawValue: byte) else {
      throw GATTDecodingError(.reservedValue, Self.uuid, bytes)
    }
    self = command
  }

  public var encoded: AttributeValue { AttributeValue([rawValue]) }
}
