/// Detects from the durations of connections whether this host rejects the connection parameters that a
/// monitor requests.
///
/// After connecting, a monitor requests a longer connection interval (Core Specification, Vol 3, Part A,
/// §4.20). If the request is rejected, the monitor disconnects after 30 s, or repeats the request every 30 s
/// and disconnects after five of them. So the monitor ends each connection after the same time. Linux kernels
/// from March to July 2024 reject such requests.
public struct RefusedTiming: Hashable, Sendable {
  /// The connection times after which a monitor disconnects if its request was rejected.
  public static let ages: [Duration] = [.seconds(30), .seconds(150)]
  /// Maximum deviation from ``ages``.
  public static let spread = Duration.seconds(2)
  /// Number of consecutive connections of the same duration that is no coincidence.
  public static let inARow = 3

  /// What the user can do so that the monitor no longer disconnects.
  public static let remedy =
    "Install a kernel of July 2024 or later, or set MaxConnectionInterval under [LE] in /etc/bluetooth/main.conf."

  private var latest: [Duration] = []

  public init() {}

  /// Records the end of a connection.
  ///
  /// - Parameter age: The duration of the connection; `nil` if the host ended it, or if its beginning is
  ///   unknown.
  public mutating func note(_ age: Duration?) {
    guard let age else { return latest.removeAll() }
    latest = latest.suffix(Self.inARow - 1) + [age]
  }

  /// Records that a connection has lasted longer than with rejected parameters. Then these are not the cause.
  public mutating func note(standing age: Duration) {
    if self.age.map({ age > $0 + Self.spread }) ?? false { latest.removeAll() }
  }

  /// The duration after which the last connections ended; `nil` if they had different durations.
  public var age: Duration? {
    guard latest.count == Self.inARow else { return nil }
    return Self.ages.first { age in
      latest.allSatisfy { abs($0 - age) <= Self.spread }
    }
  }
}

private func abs(_ duration: Duration) -> Duration { max(duration, .zero - duration) }
