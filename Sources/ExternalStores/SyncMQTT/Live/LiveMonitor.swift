public import Foundation

/// The state of one monitor, as published while the gateway runs.
public struct LiveMonitor: Hashable, Sendable {
  /// The latest measurement of a monitor.
  public struct Measurement: Hashable, Sendable {
    /// The receipt time, for readers.
    public var time: Date
    /// The receipt time on a monotonic clock, for the age of the measurement.
    public var received: ContinuousClock.Instant
    /// Beats per minute, as sent by the monitor. It is 0 without a reading.
    public var heartRate: Int
    /// Whether the monitor touches skin, or `nil` if it does not report contact.
    public var hasContact: Bool?
    /// RR intervals in seconds, oldest first.
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

  /// The signal strength of the latest advertisement. It is usually from before the connection, because no
  /// strength is reported for a connection.
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
  /// The bundle identifier of the monitor's source.
  public var source: String
  public var name: String?
  public var manufacturer: String?
  public var model: String?
  public var serialNumber: String?
  public var hardwareRevision: String?
  public var firmwareRevision: String?
  public var softwareRevision: String?
  /// The state of the connection: a raw value of `FollowState`.
  public var state: String
  /// Whether measurements are arriving. Otherwise the latest measurement is not published as live.
  public var isFollowed: Bool
  /// The error that bluetoothd reported.
  public var detail: String?
  /// The advice for the user.
  public var advice: String?
  /// The latest measurement of this run, or `nil` if there is none yet.
  public var measurement: Measurement?
  /// The battery level in percent, 0–100.
  public var battery: Int?
  /// The latest signal strength of this run, or `nil` if no advertisement was received.
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
  /// Returns the measurement if it is still live.
  ///
  /// - Parameter lifetime: The age at which a measurement expires.
  func current(at now: ContinuousClock.Instant, lifetime: Duration) -> Measurement? {
    guard isFollowed, let measurement, measurement.received.duration(to: now) < lifetime else { return nil }
    return measurement
  }
}

extension LiveMonitor.Measurement {
  /// The heart rate, or `nil` without contact or without a reading.
  var pulse: Int? { hasContact == false || heartRate == 0 ? nil : heartRate }
}
