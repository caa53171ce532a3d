package import Foundation

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
