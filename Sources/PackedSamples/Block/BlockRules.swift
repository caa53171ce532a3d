/// What must hold of the columns of a block, when it is written and when it is read.
///
/// The loops have no way out of their middle: so the compiler looks at several numbers at a time.
enum BlockRules {
  static func check(starts: [Int64]) throws(BlockFlaw) {
    guard !starts.descends else { throw .descendingStarts }
  }

  /// - Parameter durations: as many as starts.
  static func check(durations: [Int64], from starts: [Int64]) throws(BlockFlaw) {
    for place in durations.indices {
      let duration = durations[place]
      guard duration >= 0, !starts[place].addingReportingOverflow(duration).overflow else { throw .end }
    }
  }

  static func check(values: [Double]) throws(BlockFlaw) {
    var odd: UInt64 = 0
    values.withUnsafeBufferPointer { values in
      for value in values { odd |= value == value ? 0 : 1 }
    }
    guard odd == 0 else { throw .notANumber }
  }

  static func check(changes: [Int64]) throws(BlockFlaw) {
    var signs: Int64 = 0
    changes.withUnsafeBufferPointer { changes in
      // Of 0 or less this is negative, but of the least number, which is itself.
      for change in changes { signs |= change | (change &- 1) }
    }
    guard signs >= 0 else { throw .change }
  }
}

extension [Int64] {
  /// Whether one is less than the one before it.
  package var descends: Bool {
    withUnsafeBufferPointer { numbers in
      var signs: Int64 = 0
      for place in 1..<Swift.max(numbers.count, 1) {
        signs |= Self.sign(of: numbers[place], less: numbers[place - 1])
      }
      return signs < 0
    }
  }

  /// Whether each is greater than the one before it.
  package var ascends: Bool {
    withUnsafeBufferPointer { numbers in
      var signs: Int64 = -1
      for place in 1..<Swift.max(numbers.count, 1) {
        signs &= Self.sign(of: numbers[place - 1], less: numbers[place])
      }
      return signs < 0
    }
  }

  /// - Returns: a number with the sign of the true difference, of which an overflow would turn it about.
  private static func sign(of number: Int64, less other: Int64) -> Int64 {
    let difference = number &- other
    return difference ^ ((number ^ other) & (difference ^ number))
  }
}
