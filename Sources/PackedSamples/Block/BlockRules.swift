/// Checks the columns of a block, both when it is written and when it is read.
///
/// The loops do not stop at the first error, so that the compiler can vectorize them.
enum BlockRules {
  static func check(starts: [Int64]) throws(BlockError) {
    guard !starts.descends else { throw .descendingStarts }
  }

  /// - Parameter durations: One for each element of `starts`.
  static func check(durations: [Int64], from starts: [Int64]) throws(BlockError) {
    for place in durations.indices {
      let duration = durations[place]
      guard duration >= 0, !starts[place].addingReportingOverflow(duration).overflow else { throw .end }
    }
  }

  static func check(values: [Double]) throws(BlockError) {
    var odd: UInt64 = 0
    values.withUnsafeBufferPointer { values in
      for value in values { odd |= value == value ? 0 : 1 }
    }
    guard odd == 0 else { throw .notANumber }
  }

  static func check(changes: [Int64]) throws(BlockError) {
    var signs: Int64 = 0
    changes.withUnsafeBufferPointer { changes in
      // The OR is negative if the change number is 0 or less. For `Int64.min`, the subtraction wraps around
      // to a positive number, but `change` itself is negative.
      for change in changes { signs |= change | (change &- 1) }
    }
    guard signs >= 0 else { throw .change }
  }
}

extension [Int64] {
  /// Whether an element is less than its predecessor.
  package var descends: Bool {
    withUnsafeBufferPointer { numbers in
      var signs: Int64 = 0
      for place in 1..<Swift.max(numbers.count, 1) {
        signs |= Self.sign(of: numbers[place], less: numbers[place - 1])
      }
      return signs < 0
    }
  }

  /// Whether each element is greater than its predecessor.
  package var ascends: Bool {
    withUnsafeBufferPointer { numbers in
      var signs: Int64 = -1
      for place in 1..<Swift.max(numbers.count, 1) {
        signs &= Self.sign(of: numbers[place - 1], less: numbers[place])
      }
      return signs < 0
    }
  }

  /// Returns a number with the sign of `number - other`, even if the subtraction overflows.
  private static func sign(of number: Int64, less other: Int64) -> Int64 {
    let difference = number &- other
    return difference ^ ((number ^ other) & (difference ^ number))
  }
}
