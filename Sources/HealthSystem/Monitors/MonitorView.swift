package import Foundation

/// A heart-rate monitor. `hrgate monitors --json` and the page encode it as JSON. The field names are stable.
/// Unknown values are absent.
package struct MonitorView: Codable, Sendable, Hashable {
  /// The latest RR intervals, as the monitor sent them.
  package struct Beats: Codable, Sendable, Hashable {
    /// Number of RR intervals received since the gateway started. The page shows new intervals when it grows.
    package var count: UInt64
    /// The time at which the last interval was received.
    package var time: Date
    /// The RR intervals in milliseconds, oldest first.
    package var rr: [Double]

    package init(count: UInt64, time: Date, rr: [Double]) {
      (self.count, self.time, self.rr) = (count, time, rr)
    }
  }

  package var address: String
  /// The type of the Bluetooth address: `public` or `random`.
  package var addressType: String
  package var name: String?
  /// The person who wears the monitor; absent if it is the owner of the account.
  package var person: String?
  package var manufacturer: String?
  package var model: String?
  package var serialNumber: String?
  package var hardware: String?
  package var firmware: String?
  package var software: String?
  /// Where the sensor is worn: `chest`, `wrist`, `finger`, `hand`, `earLobe`, `foot` or `other`.
  package var location: String?
  /// The battery level in percent.
  package var battery: Int?
  package var bonded: Bool
  package var enrolled: Date
  package var lastSeen: Date?
  package var lastMeasurement: Date?
  package var adapter: String?
  /// The name of the connection state in `hrgate run --json`. If no gateway is running, it is `stopped` on
  /// the command line and absent on the page.
  package var state: String?
  /// `ms` if the user specified that the monitor sends RR intervals in milliseconds; absent for 1/1024 s.
  package var intervalUnit: String?
  /// `ignore` if the user specified that the monitor reports sensor contact incorrectly; absent otherwise.
  package var sensorContact: String?

  // MARK: - Only on the page: the source, and the state of a running gateway

  /// The bundle identifier of the source of the monitor's samples.
  package var source: String?
  package var detail: String?
  package var advice: String?
  /// The last heart rate that the monitor sent, in beats per minute.
  package var heartRate: Int?
  /// The time at which `heartRate` was received.
  package var time: Date?
  /// The time since `heartRate` was received, in seconds.
  package var age: Double?
  package var contact: Bool?
  package var beats: Beats?
  package var measurements: UInt64?

  package init(address: String, addressType: String, bonded: Bool, enrolled: Date) {
    (self.address, self.addressType) = (address, addressType)
    (self.bonded, self.enrolled) = (bonded, enrolled)
  }
}

/// A period in which no measurement of a monitor was received. `hrgate monitors gaps --json` and the page
/// encode it as JSON. The field names are stable.
package struct GapView: Codable, Sendable, Hashable {
  package var monitor: String
  /// The name of the monitor; null if unknown.
  package var name: String?
  package var start: Date
  /// The end of the gap; null while it is open.
  package var end: Date?
  /// The duration in seconds; null while the gap is open.
  package var duration: Double?
  package var cause: String
  /// Number of measurements that the monitor is known to have sent in the gap; null if unknown.
  package var lost: Int?
  /// The bundle identifier of the source of the monitor's samples. Set only for the page.
  package var source: String?
  /// The cause as a text for the user. Set only for the page.
  package var text: String?

  package init(
    monitor: String, name: String?, start: Date, end: Date?, duration: Double?, cause: String, lost: Int?
  ) {
    (self.monitor, self.name, self.cause, self.lost) = (monitor, name, cause, lost)
    (self.start, self.end, self.duration) = (start, end, duration)
  }

  /// Encodes unknown values as `null`, so that every field is present.
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
