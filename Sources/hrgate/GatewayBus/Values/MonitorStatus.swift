/// How a monitor stands, as the bus tells it. What is not known is `nil`, and absent on the bus.
public struct MonitorStatus: Hashable, Sendable {
  /// `C0:FF:EE:00:00:01`.
  public var address: String
  public var name: String?
  /// Whose it is, where that is not the owner.
  public var person: String?
  /// By the names of `hrgate run --json`.
  public var state: String?
  /// What bluetoothd said.
  public var detail: String?
  /// What the user can do about the state and about what the monitor sends. One sentence per line.
  public var advice: String?
  /// Of the link.
  public var adapter: String?
  /// Percent.
  public var battery: UInt8?
  public var isBonded = false
  /// Beats per minute, as last sent.
  public var heartRate: UInt16?
  /// When that was received, in microseconds since 1970.
  public var measuredAt: UInt64?
  /// Absent where the monitor does not tell.
  public var hasContact: Bool?
  /// The last intervals between beats, in seconds, oldest first.
  public var intervals: [Double] = []
  /// How many intervals came in this run: by it one tells which of them are new.
  public var beats: UInt64 = 0
  /// When the last of them was received, in microseconds since 1970.
  public var beatAt: UInt64?
  /// How many measurements came in this run.
  public var measurements: UInt64 = 0

  public init(address: String) { self.address = address }
}

extension MonitorStatus {
  /// Whether nothing is new but what is told for as long as somebody watches.
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

  /// How old the last value is, in seconds; `nil` where there is none. 0 where it is of the future: a clock
  /// may have been set.
  ///
  /// - Parameter now: Microseconds since 1970.
  public func age(at now: UInt64) -> Double? {
    measuredAt.map { $0 < now ? Double(now - $0) / 1e6 : 0 }
  }
}
