import Bluetooth

/// How often a monitor notifies each value before another one: many notify twice a second what they measure
/// once, so that all their values come in pairs, copies or not.
struct RepeatedValues {
  /// A number of equal values in a row, with others on both sides.
  private struct Stretch {
    /// How many measurements they were, or a divisor of that.
    var length: Int
    var isDivisor: Bool
  }

  /// Of so many stretches of equal values, not all are as long by chance.
  private static let enough = 8
  /// For one of another length there have to be so many: two measurements in a row may happen to be equal,
  /// and one may get lost on the radio.
  private static let forEachOther = 8
  /// So many are remembered: what a monitor did long ago says nothing of it.
  private static let most = 32
  /// Whatever number of values comes at a time, one of these divides it.
  private static let divisors = [2, 3, 5, 7]

  private var stretches: [Stretch] = []
  private var last: AttributeValue?
  /// How many of the last value came in a row, or a divisor of that; `nil` where its first is not known.
  private var length: Int?
  private var isDivisor = false
  /// The last value came before and after what one that was noted stands for changed.
  private var isAcross = false

  /// Values that come so many at a time are no evidence of copies.
  var isKnown: Bool { Self.divisors.contains { isKnown(by: $0) } }

  /// One measurement came, and all between it and the one before are known.
  mutating func note(_ value: AttributeValue) {
    guard value != last else {
      length? += 1
      return
    }
    if let length { stretches.append(Stretch(length: length, isDivisor: isDivisor)) }
    if stretches.count > Self.most { stretches.removeFirst() }
    length = last == nil ? nil : 1
    isDivisor = false
    isAcross = false
    last = value
  }

  /// What is noted as one measurement may be several, the same number each time until ``noteChange()``.
  mutating func noteDivisor() {
    isDivisor = true
    if isAcross { noteDoubt() }
  }

  /// What is noted from now on may stand for another number of measurements.
  mutating func noteChange() {
    isAcross = true
    if isDivisor { noteDoubt() }
  }

  /// Some measurements may have been left out, or told twice.
  mutating func noteDoubt() {
    length = nil
    last = nil
  }

  private func isKnown(by divisor: Int) -> Bool {
    var fitting = 0
    var others = 0
    // While nothing but divisors is known, another number says nothing, and makes those before it chance.
    var uncertain = 0
    for stretch in stretches {
      switch (stretch.length.isMultiple(of: divisor), stretch.isDivisor) {
      case (true, false): fitting += 1
      case (false, false): others += 1
      case (true, true): uncertain += 1
      case (false, true): uncertain = 0
      }
    }
    return fitting + uncertain >= max(Self.enough, others * Self.forEachOther)
  }
}
