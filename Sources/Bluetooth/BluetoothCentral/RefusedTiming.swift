/// Detects by the age of ended links whether this host rejects the connection parameters that a monitor
/// requests.
///
/// A monitor requests longer connection intervals than a link begins with (Core Specification, Vol 3, Part A,
/// §4.20). If the request is rejected, the monitor repeats it after 30 s or disconnects; some disconnect
/// after five requests. So its links end without our doing, each at the same age. Linux of March to July 2024
/// rejects such requests.
public struct RefusedTiming: Hashable, Sendable {
  /// The ages at which such a monitor disconnects.
  public static let ages: [Duration] = [.seconds(30), .seconds(150)]
  /// Maximum deviation from these ages.
  public static let spread = Duration.seconds(2)
  /// Number of consecutive links with the same age that is no coincidence.
  public static let inARow = 3

  /// A remedy for the user.
  public static let remedy =
    "Install a kernel of July 2024 or later, or set MaxConnectionInterval under [LE] in /etc/bluetooth/main.conf."

  private var latest: [Duration] = []

  public init() {}

  /// Records the end of a link.
  ///
  /// - Parameter age: The age of the link; `nil` if it was ended by us, or if its beginning is unknown.
  public mutating func note(_ age: Duration?) {
    guard let age else { return latest.removeAll() }
    latest = latest.suffix(Self.inARow - 1) + [age]
  }

  /// Records that a link has lasted longer than links with rejected parameters do.
  public mutating func note(standing age: Duration) {
    if self.age.map({ age > $0 + Self.spread }) ?? false { latest.removeAll() }
  }

  /// The age at which the last links ended; `nil` if they ended at different ages.
  public var age: Duration? {
    guard latest.count == Self.inARow else { return nil }
    return Self.ages.first { age in
      latest.allSatisfy { abs($0 - age) <= Self.spread }
    }
  }
}

private func abs(_ duration: Duration) -> Duration { max(duration, .zero - duration) }
