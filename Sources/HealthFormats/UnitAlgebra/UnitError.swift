/// Why there is no such unit.
public enum UnitError: Error, Hashable, Sendable {
  /// The string has more bytes than any unit needs.
  case tooLong(maximum: Int)
  /// The string breaks the grammar; `place` counts its characters.
  case unreadable(String, place: Int)
  /// The molar mass is not a positive number.
  case molarMassNotPositive
  /// The product has more factors, or a greater power, than a unit string can say.
  case outOfBounds
}

extension UnitError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .tooLong(let maximum):
      "a unit string has \(maximum) bytes at most"
    case .unreadable(let text, let place):
      "Unable to parse factorization string \"\(text)\" at character \(place)"
    case .molarMassNotPositive:
      "a molar mass must be a positive number"
    case .outOfBounds:
      "a unit has \([UnitFactor].maximumCount) factors and powers of \([UnitFactor].maximumExponent) at most"
    }
  }
}
