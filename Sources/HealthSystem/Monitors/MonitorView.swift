package import Foundation

/// A monitor in the JSON of `hrgate monitors --json` and of the page. The names are stable. Unknown values
/// are absent.
package struct MonitorView: Codable, Sendable, Hashable {
  /// The latest intervals between beats, as received.
  package struct Beats: Codable, Sendable, Hashable {
    /// Number of intervals received since the gateway started. The page detects new ones by it.
    package var count: UInt64
    /// When the last one was received.
    package var time: Date
    /// Milliseconds, oldest first.
    package var rr: [Double]

    package init(count: UInt64, time: Date, rr: [Double]) {
      (self.count, self.time, self.rr) = (count, time, rr)
    }
  }

  package var address: String
  /// `public` or `random`.
  package var addressType: String
  package var name: String?
  /// The person whose monitor it is; absent for the owner.
  package var person: String?
  package var manufacturer: String?
  package var model: String?
  package var serialNumber: String?
  package var hardware: String?
  package var firmware: String?
  package var software: String?
  /// `chest`, `wrist`, `finger`, `hand`, `earLobe`, `foot` or `other`.
  package var location: String?
  /// Percent.
  package var battery: Int?
  package var bonded: Bool
  package var enrolled: Date
  package var lastSeen: Date?
  package var lastMeasurement: Date?
  package var adapter: String?
  /// The state's name in `hrgate run --json`; `stopped` if no gateway runs (absent on the page).
  package var state: String?
  /// `ms` if the user declared that its RR intervals are milliseconds; absent for 1/1024 s.
  package var intervalUnit: String?
  /// `ignore` if the user declared that its reports about sensor contact are wrong; absent otherwise.
  package var sensorContact: String?

  // MARK: - Only on the page: the source, and the state of a running gateway

  /// The bundle identifier of its samples' source.
  package var source: String?
  package var detail: String?
  package var advice: String?
  /// Beats per minute, as last sent.
  package var heartRate: Int?
  /// When that heart rate was received.
  package var time: Date?
  /// The age of the heart rate in seconds.
  package var age: Double?
  package var contact: Bool?
  package var beats: Beats?
  package var measurements: UInt64?

  package init(address: String, addressType: String, bonded: Bool, enrolled: Date) {
    (self.address, self.addressType) = (address, addressType)
    (self.bonded, self.enrolled) = (bonded, enrolled)
  }
}

/// A period without measurements of a monitor, in the JSON of `hrgate monitors gaps --json` and of the
/// page. The names are stable.
package struct GapView: Codable, Sendable, Hashable {
  package var monitor: String
  /// null if the monitor has no known name.
  package var name: String?
  package var start: Date
  /// null while the gap is open.
  package var end: Date?
  /// Seconds; null while the gap is open.
  package var duration: Double?
  package var cause: String
  /// Number of measurements known to be lost; null if unknown.
  package var lost: Int?
  /// The bundle identifier of the source of the monitor's samples. Only on the page.
  package var source: String?
  /// The cause as text. Only on the page.
  package var text: String?

  package init(
    monitor: String, name: String?, start: Date, end: Date?, duration: Double?, cause: String, lost: Int?
  ) {
    (self.monitor, self.name, self.cause, self.lost) = (monitor, name, cause, lost)
    (self.start, self.end, self.duration) = (start, end, duration)
  }

  /// Encodes unknown values as `null`, so that all members are always present.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(monitor, forKey: .monitor)
    try container.encode(name, forKey: .name)
    try container.encode(start, forKey: .start)
    try container.encode(end, forKey: .end)
    try container.encode(duration, forKey: .duration)
    try container.encode(cause, forKey: .cause)
    try container.encode(lost, forKey: .lost)
    try container.encodeIfPresent(source, forKey: .source)
    try container.encodeIfPresent(text, forKey: .text)
  }
}
