import Foundation

/// The time at which the host received data. It serves as the time of a measurement, because the Heart Rate
/// Service does not transmit one.
///
/// It is a wall-clock time in whole microseconds since 1970-01-01 00:00 UTC, which every packet-log format
/// can store exactly.
public struct ReceiptTime: Hashable, Comparable, Sendable {
  /// Microseconds since 1970-01-01 00:00 UTC; negative before.
  public var microsecondsSince1970: Int64

  public init(microsecondsSince1970: Int64) { self.microsecondsSince1970 = microsecondsSince1970 }

  public static func < (lhs: Self, rhs: Self) -> Bool {
    lhs.microsecondsSince1970 < rhs.microsecondsSince1970
  }

  /// Microseconds from `earlier` to this time; negative after a backward clock step.
  public func microseconds(since earlier: Self) -> Int64 {
    microsecondsSince1970 &- earlier.microsecondsSince1970
  }
}

/// The text and JSON form: ISO 8601 in UTC with microseconds, such as `2026-11-29T06:09:00.123456Z`.
extension ReceiptTime: Codable, CustomStringConvertible, LosslessStringConvertible {
  public var description: String {
    let (seconds, fraction) = microsecondsSince1970.quotientAndRemainder(dividingBy: 1_000_000)
    let borrow: Int64 = fraction < 0 ? 1 : 0
    let whole = Date(timeIntervalSince1970: Double(seconds - borrow)).formatted(.iso8601).dropLast()
    let digits = String(fraction + borrow * 1_000_000)
    return whole + "." + String(repeating: "0", count: 6 - digits.utf8.count) + digits + "Z"
  }

  /// Parses the format of ``description``, with any number of decimals. Decimals after the sixth are ignored.
  public init?(_ text: String) {
    guard text.hasSuffix("Z") else { return nil }
    let parts = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
    let decimals = parts.dropFirst().first ?? "0"
    guard parts.count <= 2, let date = try? Date(parts[0] + "Z", strategy: .iso8601), !decimals.isEmpty,
      decimals.utf8.allSatisfy({ (48...57).contains($0) }),
      let fraction = Int64((decimals + "000000").prefix(6)),
      let seconds = Int64(exactly: date.timeIntervalSince1970)
    else { return nil }
    self.init(microsecondsSince1970: seconds * 1_000_000 + fraction)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let time = Self(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "not a time in UTC such as 2026-11-29T06:09:00.123456Z: \(text)")
    }
    self = time
  }
}
