/// The status of a gateway on D-Bus.
public struct GatewayStatus: Hashable, Sendable {
  /// A one-line summary without names and values.
  public var summary = ""
  /// The error if the store does not accept measurements.
  public var storeFailure: String?
  /// Number of measurements in this run: the sum of stored, duplicates, rejected and waiting.
  public var measurements: UInt64 = 0
  public var stored: UInt64 = 0
  public var duplicates: UInt64 = 0
  public var rejected: UInt64 = 0
  /// Number of measurements in memory that are not processed yet.
  public var waiting: UInt64 = 0
  /// The monitors in order of enrollment.
  public var monitors: [MonitorStatus] = []

  public init() {}
}

/// The status of a monitor on D-Bus. Unknown values are `nil`, and absent on the bus.
public struct MonitorStatus: Hashable, Sendable {
  /// The address, such as `C0:FF:EE:00:00:01`.
  public var address: String
  public var name: String?
  /// The person to whom the monitor belongs; `nil` for the account owner.
  public var person: String?
  /// The state, with the names of `hrgate run --json`.
  public var state: String?
  /// bluetoothd's message.
  public var detail: String?
  /// Advice about the state and the monitor's data, one sentence per line.
  public var advice: String?
  /// Address of the link's adapter.
  public var adapter: String?
  /// Battery level in percent.
  public var battery: UInt8?
  public var isBonded = false
  /// The last heart rate in beats per minute.
  public var heartRate: UInt16?
  /// Receipt time of the last heart rate, in microseconds since 1970.
  public var measuredAt: UInt64?
  /// Whether the sensor has skin contact; `nil` if the monitor does not report it.
  public var hasContact: Bool?
  /// The last intervals between beats, in seconds, oldest first.
  public var intervals: [Double] = []
  /// Number of intervals in this run. A client uses it to find the new ones.
  public var beats: UInt64 = 0
  /// Receipt time of the last interval, in microseconds since 1970.
  public var beatAt: UInt64?
  /// Number of measurements in this run.
  public var measurements: UInt64 = 0

  public init(address: String) { self.address = address }
}

extension MonitorStatus {
  /// Returns whether the only changes are in values that are signaled only while a client watches.
  func hasMeasuredOnly(since earlier: MonitorStatus) -> Bool {
    var status = self
    status.heartRate = earlier.heartRate
    status.measuredAt = earlier.measuredAt
    status.hasContact = earlier.hasContact
    status.intervals = earlier.intervals
    status.beats = earlier.beats
    status.beatAt = earlier.beatAt
    status.measurements = earlier.measurements
    return status == earlier
  }

  /// Returns the age of the last value in seconds; `nil` without a value. If the wall clock was set back, the
  /// value may be in the future. The age is then 0.
  ///
  /// - Parameter now: Microseconds since 1970.
  public func age(at now: UInt64) -> Double? {
    measuredAt.map { $0 < now ? Double(now - $0) / 1e6 : 0 }
  }
}
