/// Battery Level, 0x2A19 (Battery Service 1.0, §3.1): the charge in percent.
public struct BatteryLevel: CharacteristicValue {
  public static let uuid = BluetoothUUID.batteryLevel

  /// The charge in percent, 0–100.
  public let percentage: UInt8

  /// - Returns: `nil` if `percentage` is above 100.
  public init?(percentage: UInt8) {
    guard percentage <= 100 else { return nil }
    self.percentage = percentage
  }

  /// - Throws: ``GATTDecodingError`` for an empty value, and for 101–255, which are reserved.
  public init(decoding bytes: RawSpan) throws(GATTDecodingError) {
    guard let byte = bytes.uint8(at: 0) else { throw GATTDecodingError(.empty, Self.uuid, bytes) }
    guard let level = BatteryLevel(percentage: byte) else {
      throw GATTDecodingError(.reservedValue, Self.uuid, bytes)
    }
    self = level
  }

  public var encoded: AttributeValue { AttributeValue([percentage]) }
}
