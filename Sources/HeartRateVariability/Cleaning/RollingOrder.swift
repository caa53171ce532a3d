/// Medians and quantiles over a sliding window.
enum RollingOrder {
  /// Applies a function to each value together with its neighbors, sorted. Near both ends of the series there
  /// are fewer neighbors.
  ///
  /// - Parameters:
  ///   - values: Finite, non-negative values.
  ///   - width: The number of values passed to the function, centered on one value. An even number is reduced
  ///     by one.
  /// - Returns: One result for each value.
  @inline(__always) static func map<Result>(
    _ values: [Double], width: Int, _ transform: (SortedWindow) -> Result
  ) -> [Result] {
    let half = width > 1 ? min((width - 1) / 2, values.count) : 0
    var window = SortedWindow(capacity: 2 * half + 1)
    // Adding 0 turns -0 into 0, because the sort compares bit patterns.
    func value(_ index: Int) -> Double { values[index] + 0 }
    for index in 0..<half { window.insert(value(index)) }
    return values.indices.map { index in
      let (entering, leaving) = (index + half, index - half - 1)
      if entering < values.count, leaving >= 0 {
        window.replace(value(leaving), by: value(entering))
      } else if entering < values.count {
        window.insert(value(entering))
      } else if leaving >= 0 {
        window.remove(value(leaving))
      }
      return transform(window)
    }
  }
}

/// The values of a sliding window in ascending order. None is negative.
struct SortedWindow {
  private var values: [Double] = []

  init(capacity: Int) { values.reserveCapacity(capacity) }

  mutating func insert(_ value: Double) { values.insert(value, at: rank(of: value)) }

  /// Removes a value, which must be in the window.
  mutating func remove(_ value: Double) { values.remove(at: rank(of: value)) }

  /// Replaces the value `old`, which must be in the window, by `new`. Moves only the values between their
  /// positions.
  mutating func replace(_ old: Double, by new: Double) {
    var (place, target) = (rank(of: old), rank(of: new))
    values.withUnsafeMutableBufferPointer { values in
      if place < target {
        target -= 1
        while place < target {
          values[place] = values[place + 1]
          place += 1
        }
      } else {
        while place > target {
          values[place] = values[place - 1]
          place -= 1
        }
      }
      values[target] = new
    }
  }

  /// Returns a quantile, interpolated linearly between two values.
  ///
  /// - Parameter fraction: 0 to 1.
  func quantile(_ fraction: Double) -> Double {
    let position = fraction * Double(values.count - 1)
    let lower = Int(position)
    let upper = min(lower + 1, values.count - 1)
    return values[lower] + (values[upper] - values[lower]) * (position - Double(lower))
  }

  /// Returns the number of values that are smaller.
  ///
  /// A binary search without a branch, which the processor could not predict. Non-negative numbers are
  /// ordered like their bit patterns, so the sign of a difference of bit patterns serves as a mask.
  private func rank(of value: Double) -> Int {
    let bits = Int64(bitPattern: value.bitPattern)
    return values.withUnsafeBufferPointer { values in
      func mask(_ index: Int) -> Int { Int((Int64(bitPattern: values[index].bitPattern) &- bits) >> 63) }
      var (first, count) = (0, values.count)
      while count > 1 {
        let half = count / 2
        first &+= half & mask(first &+ half &- 1)
        count &-= half
      }
      return count == 1 ? first &- mask(first) : first
    }
  }
}
