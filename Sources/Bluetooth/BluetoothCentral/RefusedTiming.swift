/// Whether this host refuses the timing that a monitor asks for, by how long its links live.
///
/// A monitor asks for longer connection intervals than a link begins with (Core Specification, Vol 3, Part A,
/// §4.20). Refused, it asks once more after 30 s or leaves, and some leave after they have asked five times.
/// So its links end by themselves, each at the same age. Linux of March to July 2024 refuses such a request.
public struct RefusedTiming: Hashable, Sendable {
  /// At these ages such a monitor leaves.
  public static let ages: [Duration] = [.seconds(30), .seconds(150)]
  /// By so much such ages differ.
  public static let spread = Duration.seconds(2)
  /// So many links in a row are not chance.
  public static let inARow = 3

  /// What the user does about it.
  public static let remedy =
    "Install a kernel of July 2024 or later, or set MaxConnectionInterval under [LE] in /etc/bluetooth/main.conf."

  private var latest: [Duration] = []

  public init() {}

  /// A link ended.
  ///
  /// - Parameter age: `nil` where it did not end by itself, or nobody saw it begin.
  public mutating func note(_ age: Duration?) {
    guard let age else { return latest.removeAll() }
    latest = latest.suffix(Self.inARow - 1) + [age]
  }

  /// A link stands for so long that its timing was not refused.
  public mutating func note(standing age: Duration) {
    if self.age.map({ age > $0 + Self.spread }) ?? false { latest.removeAll() }
  }

  /// At which age the last links ended; `nil` where they did not end alike.
  public var age: Duration? {
    guard latest.count == Self.inARow else { return nil }
    return Self.ages.first { age in
      latest.allSatisfy { abs($0 - age) <= Self.spread }
    }
  }
}

private func abs(_ duration: Duration) -> Duration { max(duration, .zero - duration) }
