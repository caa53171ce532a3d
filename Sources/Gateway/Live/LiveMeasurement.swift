public import Bluetooth
import Ingestion

/// A measurement of a monitor, as received, before it is stored or rejected.
///
/// This is the user's health data. The gateway keeps it only in the store. A program that shows it decides
/// who can read it.
public struct LiveMeasurement: Sendable, Hashable {
  public var monitor: BluetoothAddress
  /// When this host received it, because the Heart Rate Service has no time.
  public var receiptTime: ReceiptTime
  /// Beats per minute, as sent: 0 if the monitor has no reading.
  public var heartRate: Int
  /// Whether the monitor touches skin; `nil` if it does not report contact.
  public var hasContact: Bool?
  /// Kilojoules since the monitor's total was last reset to 0; `nil` if the frame has no value.
  public var energy: Int?
  /// Seconds between beats, oldest first. Exact: the wire's unit is 1/1024 s.
  public var intervals: [Double]

  public init(
    monitor: BluetoothAddress, receiptTime: ReceiptTime, heartRate: Int, hasContact: Bool? = nil,
    energy: Int? = nil, intervals: [Double] = []
  ) {
    self.monitor = monitor
    self.receiptTime = receiptTime
    self.heartRate = heartRate
    self.hasContact = hasContact
    self.energy = energy
    self.intervals = intervals
  }
}

/// A battery level that a monitor reported.
public struct LiveBattery: Sendable, Hashable {
  public var monitor: BluetoothAddress
  /// Percent, 0–100.
  public var percentage: Int

  public init(monitor: BluetoothAddress, percentage: Int) {
    self.monitor = monitor
    self.percentage = percentage
  }
}

extension LiveMeasurement {
  init(
    _ measurement: HeartRateMeasurement, of monitor: BluetoothAddress, at time: ReceiptTime,
    settings: MonitorSettings
  ) {
    self.init(
      monitor: monitor, receiptTime: time, heartRate: Int(measurement.heartRate),
      energy: measurement.energyExpended.map(Int.init),
      intervals: measurement.rrTicks.map { settings.intervalUnit.seconds(Int($0)) })
    switch measurement.sensorContact {
    case .notSupported: hasContact = nil
    case .notDetected: hasContact = settings.ignoresSensorContact ? nil : false
    case .detected: hasContact = true
    }
  }
}

extension GatewayEvent {
  /// Returns the events for readings that arrived together: the battery levels, then all measurements in
  /// one event, in order. Skips frames without a heart rate, which count as rejected, and readings of a
  /// link whose address is not known.
  static func live(_ readings: [StrapReading]) -> [GatewayEvent] {
    var measurements: [LiveMeasurement] = []
    var batteries: [GatewayEvent] = []
    for reading in readings {
      guard case .address(let monitor) = reading.peripheral else { continue }
      switch reading.value {
      case .measurement(let measurement, let time, let settings):
        measurements.append(LiveMeasurement(measurement, of: monitor, at: time, settings: settings))
      case .battery(let level):
        batteries.append(.battery(LiveBattery(monitor: monitor, percentage: Int(level.percentage))))
      }
    }
    return batteries + (measurements.isEmpty ? [] : [.measured(measurements)])
  }
}
