import Bluetooth

/// How often a monitor notifies each value before another one: many notify twice a second what they measure
/// once, so that all their values come in pairs, copies or not.
struct RepeatedValues {
  /// Of so many stretches of equal values, not all are as long by chance.
  private static let enough = 8

  /// A divisor of all their lengths; 0 before the first.
  private var divisor = 0
  private var stretches = 0
  private var last: AttributeValue?
  /// How many of the last value came in a row; `nil` where its first is not known.
  private var length: Int?

  /// Values that come so many at a time are no evidence of copies.
  var isKnown: Bool { stretches >= Self.enough && divisor > 1 }

  /// One measurement came, and all between it and the one before are known.
  mutating func note(_ value: AttributeValue) {
    guard value != last else {
      length? += 1
      return
    }
    if let length {
      divisor = greatestCommonDivisor(divisor, length)
      stretches += 1
    }
    length = last == nil ? nil : 1
    last = value
  }

  /// Some measurements may have been left out, or told twice.
  mutating func noteDoubt() {
    length = nil
    last = nil
  }
}
