public import Bluetooth
import Ingestion

/// A measurement as received. It may not be stored yet, or may still be rejected.
///
/// It is health data of the user. A program that shows it is responsible for who can see it.
public struct LiveMeasurement: Sendable, Hashable {
  public var monitor: BluetoothAddress
  /// When this host received the measurement. The Heart Rate Service does not transmit a time.
  public var receiptTime: ReceiptTime
  /// Beats per minute, as sent by the monitor; 0 if the monitor could not measure.
  public var heartRate: Int
  /// Whether the monitor has skin contact; `nil` if it does not report this.
  public var hasContact: Bool?
  /// The energy in kilojoules since the monitor's total was last reset; `nil` if the measurement does not
  /// contain it.
  public var energy: Int?
  /// RR intervals in seconds, oldest first. They are exact multiples of 1/1024 s.
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
  /// The battery level in percent, 0–100.
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
  /// Returns the events for values that arrived together: battery levels, then one event with all
  /// measurements. Skips measurements without a valid heart rate and those of connections with an unknown
  /// address.
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
