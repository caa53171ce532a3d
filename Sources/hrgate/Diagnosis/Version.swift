/// A version of numbers and dots, as kernels and daemons have. Text after the numbers is ignored.
public struct Version: Hashable, Comparable, Sendable, CustomStringConvertible {
  public var numbers: [Int]

  public init(_ numbers: Int...) { self.numbers = numbers }

  /// Parses a version.
  ///
  /// - Returns: `nil` if the text does not begin with a number.
  public init?(_ text: String) {
    let head = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    numbers = head.split(separator: ".").compactMap { Int($0) }
    if numbers.isEmpty { return nil }
  }

  public static func < (one: Self, other: Self) -> Bool {
    one.numbers.lexicographicallyPrecedes(other.numbers)
  }

  public var description: String { numbers.map(String.init).joined(separator: ".") }
}
