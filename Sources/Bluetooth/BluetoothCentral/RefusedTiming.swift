/// Detects from the durations of connections that this host rejects the connection parameters requested by a
/// monitor.
///
/// After connecting, a monitor requests a longer connection interval (Core Specification, Vol 3, Part A,
/// §4.20). If the request is rejected, the monitor disconnects after 30 s, or repeats the request every 30 s
/// and disconnects after the fifth. So the monitor ends each connection after the same time. Linux kernels
/// from March to July 2024 reject such requests.
public struct RefusedTiming: Hashable, Sendable {
  /// The durations of connections after which a monitor disconnects if its request was rejected.
  public static let ages: [Duration] = [.seconds(30), .seconds(150)]
  /// Maximum deviation from ``ages``.
  public static let spread = Duration.seconds(2)
  /// Number of consecutive connections of the same duration that cannot be a coincidence.
  public static let inARow = 3

  /// Advice for the user to keep the monitor from disconnecting.
  public static let remedy =
    "Install a kernel of July 2024 or later, or set MaxConnectionInterval under [LE] in /etc/bluetooth/main.conf."

  private var latest: [Duration] = []

  public init() {}

  /// Records the end of a connection.
  ///
  /// - Parameter age: The duration of the connection; `nil` if the host ended it or its start is unknown.
  public mutating func note(_ age: Duration?) {
    guard let age else { return latest.removeAll() }
    latest = latest.suffix(Self.inARow - 1) + [age]
  }

  /// Records that a connection has lasted longer than it would with rejected parameters, so that these are
  /// not the cause.
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
