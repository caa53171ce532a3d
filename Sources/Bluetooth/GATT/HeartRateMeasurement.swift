/// Heart Rate Measurement, 0x2A37 (Heart Rate Service 1.0, §3.1; GATT Specification Supplement, §3.113).
///
/// The service carries no time: a measurement means what it says at its receipt.
public struct HeartRateMeasurement: CharacteristicValue {
  public static let uuid = BluetoothUUID.heartRateMeasurement

  /// The width of the heart-rate field. A sender may change it from frame to frame.
  public enum ValueFormat: Hashable, Sendable {
    case uint8
    case uint16
  }

  /// Beats per minute.
  public var heartRate: UInt16
  /// How the frame carries the heart rate; above 255 it is always sixteen bits.
  public var valueFormat: ValueFormat
  public var sensorContact: SensorContact
  /// Kilojoules since the last reset, or `nil` where the frame does not carry the field.
  /// ``saturatedEnergyExpended`` says that the counter is full.
  public var energyExpended: UInt16?
  /// Times between beats in ticks of 1/1024 s, oldest first.
  public var rrTicks: RRTicks

  /// Whether the heart rate is a reading. A strap without one sends 0 or the greatest value of the format:
  /// 255 in eight bits, 0xFFFF in sixteen. 255 in sixteen bits is a reading.
  public var hasReading: Bool {
    heartRate != 0 && heartRate != (valueFormat == .uint8 ? UInt16(UInt8.max) : .max)
  }

  /// The value at which the energy counter stays until it is reset.
  public static let saturatedEnergyExpended: UInt16 = 0xFFFF

  /// - Parameter valueFormat: By default the format that a sender should choose: eight bits up to 255.
  public init(
    heartRate: UInt16, valueFormat: ValueFormat? = nil, sensorContact: SensorContact = .notSupported,
    energyExpended: UInt16? = nil,
    rrTicks: RRTicks = []
  ) {
    self.heartRate = heartRate
    self.valueFormat = heartRate > UInt16(UInt8.max) ? .uint16 : valueFormat ?? .uint8
    self.sensorContact = sensorContact
    self.energyExpended = energyExpended
    self.rrTicks = rrTicks
  }
}
