/// Heart Rate Measurement, 0x2A37 (Heart Rate Service 1.0, §3.1; GATT Specification Supplement, §3.113).
///
/// The service carries no time: a measurement means what it says at its receipt.
public struct HeartRateMeasurement: Hashable, Sendable {
  /// Beats per minute.
  public var heartRate: UInt16
  public var sensorContact: SensorContact
  /// Kilojoules since the last reset, or `nil` where the frame does not carry the field.
  /// ``saturatedEnergyExpended`` says that the counter is full.
  public var energyExpended: UInt16?
  /// Times between beats in ticks of 1/1024 s, oldest first.
  public var rrTicks: [UInt16]

  /// The value at which the energy counter stays until it is reset.
  public static let saturatedEnergyExpended: UInt16 = 0xFFFF

  public init(
    heartRate: UInt16, sensorContact: SensorContact = .notSupported, energyExpended: UInt16? = nil,
    rrTicks: [UInt16] = []
  ) {
    self.heartRate = heartRate
    self.sensorContact = sensorContact
    self.energyExpended = energyExpended
    self.rrTicks = rrTicks
  }
}
