/// Heart Rate Measurement, 0x2A37 (Heart Rate Service 1.0, §3.1; GATT Specification Supplement, §3.113).
///
/// The service has no time, so the time of a measurement is its receipt time.
public struct HeartRateMeasurement: CharacteristicValue {
  public static let uuid = BluetoothUUID.heartRateMeasurement

  /// The width of the heart-rate field. A sender may change it from frame to frame.
  public enum ValueFormat: Hashable, Sendable {
    case uint8
    case uint16
  }

  /// Beats per minute.
  public var heartRate: UInt16
  /// The width of the heart rate in the frame. Above 255 it is always 16 bits.
  public var valueFormat: ValueFormat
  /// Whether the sensor touches skin, as far as the monitor detects it.
  public var sensorContact: SensorContact
  /// Kilojoules since the last reset; `nil` if the frame does not have the field. ``saturatedEnergyExpended``
  /// means that the counter is full.
  public var energyExpended: UInt16?
  /// Times between beats in ticks of 1/1024 s, oldest first.
  public var rrTicks: RRTicks

  /// Whether the heart rate is a reading. A strap without a reading sends 0 or the maximum of the format: 255
  /// in 8 bits, 0xFFFF in 16 bits. 255 in 16 bits is a reading.
  public var hasReading: Bool {
    heartRate != 0 && heartRate != (valueFormat == .uint8 ? UInt16(UInt8.max) : .max)
  }

  /// The value at which the energy counter stops until it is reset.
  public static let saturatedEnergyExpended: UInt16 = 0xFFFF

  /// - Parameter valueFormat: By default the format that the specification recommends: 8 bits up to 255.
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

/// Whether the monitor reports skin contact.
public enum SensorContact: Hashable, Sendable, CaseIterable {
  /// The monitor does not detect contact, so there may be contact or not.
  case notSupported
  /// Contact detection is supported; no or poor contact.
  case notDetected
  case detected
}
