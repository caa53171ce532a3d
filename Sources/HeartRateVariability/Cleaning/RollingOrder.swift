/// A window that moves over a series, its values in order.
enum RollingOrder {
  /// What a function makes of the values around each value. At both ends the window has fewer.
  ///
  /// - Parameters:
  ///   - values: Finite, and none negative.
  ///   - width: How many values a window has, in its middle the one it is of; an even one counts as one less.
  /// - Returns: As many as there are values.
  @inline(__always) static func map<Result>(
    _ values: [Double], width: Int, _ transform: (SortedWindow) -> Result
  ) -> [Result] {
    let half = width > 1 ? min((width - 1) / 2, values.count) : 0
    var window = SortedWindow(capacity: 2 * half + 1)
    // A zero may have a sign, which is in its bits; the sum has none.
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

/// Values in ascending order, none of them negative.
struct SortedWindow {
  private var values: [Double] = []

  init(capacity: Int) { values.reserveCapacity(capacity) }

  mutating func insert(_ value: Double) { values.insert(value, at: rank(of: value)) }

  /// - Parameter value: One that is there.
  mutating func remove(_ value: Double) { values.remove(at: rank(of: value)) }

  /// Puts a value in the place of another one that is there; what stands between the two moves by one.
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

  /// Between two values it is interpolated linearly.
  ///
  /// - Parameter fraction: 0 to 1.
  func quantile(_ fraction: Double) -> Double {
    let position = fraction * Double(values.count - 1)
    let lower = Int(position)
    let upper = min(lower + 1, values.count - 1)
    return values[lower] + (values[upper] - values[lower]) * (position - Double(lower))
  }

  /// How many values are less. Halved without a branch, which nobody could predict: of numbers that are not
  /// negative, the bits are in the numbers' order, and the sign of a difference is a mask.
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
