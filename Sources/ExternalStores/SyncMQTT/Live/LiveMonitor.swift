public import Foundation
public import HealthKit

/// The state of one monitor, as published while the gateway runs.
public struct LiveMonitor: Hashable, Sendable {
  /// The latest measurement of a monitor.
  public struct Measurement: Hashable, Sendable {
    /// The time at which the measurement was received, by the wall clock.
    public var time: Date
    /// The time at which the measurement was received, by a monotonic clock. The age is computed from it.
    public var received: ContinuousClock.Instant
    /// The heart rate in beats per minute, as sent by the monitor. 0 if the monitor has no reading.
    public var heartRate: Int
    /// Whether the sensor touches the skin, or `nil` if the monitor does not report that.
    public var hasContact: Bool?
    /// The RR intervals of the measurement in seconds, oldest first.
    public var intervals: [Double]

    public init(
      time: Date, received: ContinuousClock.Instant, heartRate: Int, hasContact: Bool? = nil,
      intervals: [Double] = []
    ) {
      self.time = time
      self.received = received
      self.heartRate = heartRate
      self.hasContact = hasContact
      self.intervals = intervals
    }
  }

  /// The signal strength of the latest advertisement. It usually predates the connection, because a connected
  /// monitor does not advertise.
  public struct Signal: Hashable, Sendable {
    /// The signal strength in dBm.
    public var rssi: Int
    /// When the advertisement was received.
    public var time: Date

    public init(rssi: Int, time: Date) {
      self.rssi = rssi
      self.time = time
    }
  }

  /// The Bluetooth address, as `hrgate monitors` shows it.
  public var address: String
  /// The bundle identifier of the source under which the monitor's samples are saved.
  public var source: String
  public var name: String?
  /// The device that the monitor's samples name.
  public var device: HKDevice?
  public var serialNumber: String?
  /// The state of the connection: a raw value of `FollowState`, such as `bluetoothd-absent`.
  public var state: String
  /// Whether measurements are arriving. If not, the latest measurement is not published.
  public var isFollowed: Bool
  /// The error that bluetoothd reported.
  public var detail: String?
  /// What the user can do about the error.
  public var advice: String?
  /// The latest measurement since the gateway started, or `nil` if nothing was measured.
  public var measurement: Measurement?
  /// The battery level in percent, 0–100.
  public var battery: Int?
  /// The latest signal strength since the gateway started, or `nil` if no advertisement was received.
  public var signal: Signal?

  public init(address: String, source: String, name: String? = nil, state: String, isFollowed: Bool) {
    self.address = address
    self.source = source
    self.name = name
    self.state = state
    self.isFollowed = isFollowed
  }
}

extension LiveMonitor {
  /// Returns the measurement if measurements are arriving and it is recent enough.
  ///
  /// - Parameter lifetime: The age at which a measurement is no longer published.
  func current(at now: ContinuousClock.Instant, lifetime: Duration) -> Measurement? {
    guard isFollowed, let measurement, measurement.received.duration(to: now) < lifetime else { return nil }
    return measurement
  }
}

extension LiveMonitor.Measurement {
  /// The heart rate, or `nil` if there is no skin contact or no reading.
  var pulse: Int? { hasContact == false || heartRate == 0 ? nil : heartRate }
}
