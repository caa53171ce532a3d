import Testing

@testable import PackedSamples
@testable import TestSupport

@Suite struct ColumnOrderTests {
  private static let extremes: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]

  /// Returns numbers that are arbitrary, near each other, or at the limits of the integer range.
  private func column(_ count: Int, _ generator: inout SeededGenerator) -> [Int64] {
    let kind = Int.random(in: 0..<4, using: &generator)
    var last = Int64(bitPattern: generator.next())
    return (0..<count).map { _ in
      switch kind {
      case 0: last = Int64(bitPattern: generator.next())
      case 1: last = Self.extremes[Int.random(in: 0..<Self.extremes.count, using: &generator)]
      case 2: last &+= Int64(Int.random(in: 0..<3, using: &generator))
      default: last &+= Int64(Int.random(in: 0..<50, using: &generator)) - 1
      }
      return last
    }
  }

  @Test func `the order of a column is that of its neighbours, also at the ends of what numbers there are`() {
    var generator = SeededGenerator(seed: 6)
    var (descending, ascending) = (0, 0)
    for _ in 0..<20_000 {
      let numbers = column(Int.random(in: 0..<9, using: &generator), &generator)
      let pairs = zip(numbers, numbers.dropFirst())
      #expect(numbers.descends == pairs.contains { $0 > $1 }, "\(numbers)")
      #expect(numbers.ascends == pairs.allSatisfy { $0 < $1 }, "\(numbers)")
      if numbers.descends { descending += 1 }
      if numbers.ascends { ascending += 1 }
    }
    #expect(descending > 1000 && ascending > 1000)
  }

  @Test func `a place in the change log is greater than nothing`() throws {
    for change in Self.extremes where change > 0 {
      #expect(throws: Never.self) { try BlockRules.check(changes: [1, change, 1]) }
    }
    for change in Self.extremes where change <= 0 {
      #expect(throws: BlockError.change) { try BlockRules.check(changes: [1, change, 1]) }
    }
  }

  @Test func `a value is a number, or greater than all`() throws {
    for value in [0, -0.0, .infinity, -.infinity, .leastNonzeroMagnitude] {
      #expect(throws: Never.self) { try BlockRules.check(values: [1, value, 1]) }
    }
    for value in [Double.nan, -.nan, .signalingNaN] {
      #expect(throws: BlockError.notANumber) { try BlockRules.check(values: [1, value, 1]) }
    }
  }

  @Test func `digits up to the greatest whole number of a double come back, and no more`() {
    let greatest = Int64(1) << 53
    for digit in [greatest, -greatest, greatest - 1, 1 - greatest] {
      #expect(DecimalDigits.values(of: [0, digit], decimals: 0) == [0, Double(digit)])
    }
    for digit in [greatest + 1, -greatest - 1, .max, .min] {
      #expect(DecimalDigits.values(of: [0, digit], decimals: 0) == nil)
    }
  }
}
