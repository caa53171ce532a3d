public import Foundation

/// How things stand with a monitor that the gateway follows: what is published of it while the gateway runs.
public struct LiveMonitor: Hashable, Sendable {
  /// What a monitor measured last.
  public struct Measurement: Hashable, Sendable {
    /// When it was received, for whoever reads it.
    public var time: Date
    /// The same moment on a clock that nobody sets, by which its age is told.
    public var received: ContinuousClock.Instant
    /// Beats per minute, as sent: 0 where the monitor has no reading.
    public var heartRate: Int
    /// Whether the monitor touches skin; `nil` where it does not tell.
    public var hasContact: Bool?
    /// Seconds between beats, oldest first.
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

  /// How strongly a monitor was heard, and when: as a rule before it was linked, for a link tells no
  /// strength.
  public struct Signal: Hashable, Sendable {
    /// In dBm.
    public var rssi: Int
    public var time: Date

    public init(rssi: Int, time: Date) {
      self.rssi = rssi
      self.time = time
    }
  }

  /// Its Bluetooth address, as `hrgate monitors` shows it.
  public var address: String
  /// The bundle identifier of the source that its samples have.
  public var source: String
  public var name: String?
  public var manufacturer: String?
  public var model: String?
  public var serialNumber: String?
  public var hardwareRevision: String?
  public var firmwareRevision: String?
  public var softwareRevision: String?
  /// How far the gateway is with it: a raw value of `FollowState`.
  public var state: String
  /// Whether what it measures comes in at the moment. What it measured before is not shown as live if not.
  public var isFollowed: Bool
  /// What bluetoothd said when something failed.
  public var detail: String?
  /// What the user may do.
  public var advice: String?
  public var measurement: Measurement?
  /// Percent, 0–100.
  public var battery: Int?
  /// How strongly it was last heard in this run; `nil` if it was not.
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
  /// The measurement, if it is how things are now.
  func current(at now: ContinuousClock.Instant, lifetime: Duration) -> Measurement? {
    guard isFollowed, let measurement, measurement.received.duration(to: now) < lifetime else { return nil }
    return measurement
  }
}

extension LiveMonitor.Measurement {
  /// The pulse, where there is one: without contact a monitor's figure is none.
  var pulse: Int? { hasContact == false || heartRate == 0 ? nil : heartRate }
}
