public import Bluetooth
import BluetoothCentral
import GATT

/// What a monitor measured, as it came in: for whoever watches, and before it is known what becomes of it.
///
/// These are the user's health data. The gateway keeps them in the store and nowhere else; whoever shows them
/// decides who can read them.
public struct LiveMeasurement: Sendable, Hashable {
  public var monitor: BluetoothAddress
  public var receiptTime: ReceiptTime
  /// Beats per minute, as sent: 0 where the monitor has no reading.
  public var heartRate: Int
  /// Whether the monitor touches skin; `nil` where it does not tell.
  public var hasContact: Bool?
  /// Kilojoules since the monitor's total was last set to 0; `nil` where the frame has none.
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

/// A monitor told its battery level.
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
  /// - Returns: `nil` for a frame without a heart rate, which is counted as rejected, and for one of a link
  ///   whose peripheral is not known.
  init?(_ notification: ValueNotification) {
    guard case .address(let monitor) = notification.peripheral,
      notification.characteristic == .heartRateMeasurement,
      let measurement = try? HeartRateMeasurement(decoding: notification.value)
    else { return nil }
    self.init(
      monitor: monitor, receiptTime: notification.receiptTime, heartRate: Int(measurement.heartRate),
      energy: measurement.energyExpended.map(Int.init),
      intervals: measurement.rrTicks.map { Double($0) / 1024 })
    switch measurement.sensorContact {
    case .notSupported: hasContact = nil
    case .notDetected: hasContact = false
    case .detected: hasContact = true
    }
  }
}

extension LiveBattery {
  /// - Returns: `nil` for a value that is no battery level.
  init?(_ peripheral: PeripheralIdentity, _ characteristic: BluetoothUUID, _ value: AttributeValue) {
    guard case .address(let monitor) = peripheral, characteristic == .batteryLevel,
      let level = try? BatteryLevel(decoding: value)
    else { return nil }
    self.init(monitor: monitor, percentage: Int(level.percentage))
  }
}

extension GatewayEvent {
  /// What some events of a central say to whoever watches, in their order: the measurements together.
  static func live(_ events: [CentralEvent]) -> [GatewayEvent] {
    var measurements: [LiveMeasurement] = []
    var batteries: [GatewayEvent] = []
    for event in events {
      switch event {
      case .notified(let notification):
        if let measurement = LiveMeasurement(notification) {
          measurements.append(measurement)
        } else if let battery = LiveBattery(
          notification.peripheral, notification.characteristic, notification.value)
        {
          batteries.append(.battery(battery))
        }
      case .valueRead(let peripheral, let characteristic, let value):
        if let battery = LiveBattery(peripheral, characteristic, value) {
          batteries.append(.battery(battery))
        }
      default: break
      }
    }
    return batteries + (measurements.isEmpty ? [] : [.measured(measurements)])
  }
}
