/// Heart Rate Measurement, 0x2A37 (Heart Rate Service 1.0, §3.1; GATT Specification Supplement, §3.113).
///
/// The value does not contain a time, so the time of a measurement is its receipt time.
public struct HeartRateMeasurement: CharacteristicValue {
  public static let uuid = BluetoothUUID.heartRateMeasurement

  /// The size of the heart-rate field. A monitor may change it from frame to frame.
  public enum ValueFormat: Hashable, Sendable {
    case uint8
    case uint16
  }

  /// The heart rate in beats per minute.
  public var heartRate: UInt16
  /// The size of the heart-rate field in the frame. A heart rate above 255 is always sent with 16 bits.
  public var valueFormat: ValueFormat
  /// Whether the sensor has skin contact, if the monitor can detect this.
  public var sensorContact: SensorContact
  /// Energy in kilojoules since the last reset; `nil` if the frame does not contain it. The counter stops at
  /// ``saturatedEnergyExpended``.
  public var energyExpended: UInt16?
  /// RR intervals in ticks of 1/1024 s, oldest first.
  public var rrTicks: RRTicks

  /// Whether the heart rate is a measured value. A strap without a value sends 0 or the maximum of the field:
  /// 255 with 8 bits, 0xFFFF with 16 bits. With 16 bits, 255 is a measured value.
  public var hasReading: Bool {
    heartRate != 0 && heartRate != (valueFormat == .uint8 ? UInt16(UInt8.max) : .max)
  }

  /// The value at which the energy counter stops until it is reset.
  public static let saturatedEnergyExpended: UInt16 = 0xFFFF

  /// - Parameter valueFormat: `nil` for the format that the specification recommends: 8 bits for a heart rate
  ///   up to 255.
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
  /// The monitor cannot detect contact.
  case notSupported
  /// The monitor can detect contact, but there is no contact or only poor contact.
  case notDetected
  case detected
}
