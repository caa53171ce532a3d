/// A compact encoding of integers that change little or at a steady rate: their first or second differences
/// in LEB128.
///
/// Differences wrap around on overflow, so all numbers are restored exactly.
package enum IntegerColumn {
  package enum Order {
    /// The differences of consecutive numbers are stored. Used for values.
    case first
    /// The differences of these differences are stored. Used for times at a steady rate.
    case second
  }

  package static func append(_ values: [Int64], _ order: Order, to bytes: inout [UInt8]) {
    var last: Int64 = 0
    var step: Int64 = 0
    for value in values {
      let difference = value &- last
      LEB128.append(ZigZag.encode(order == .first ? difference : difference &- step), to: &bytes)
      step = difference
      last = value
    }
  }

  /// Reads `count` numbers at `position` and advances it. Returns `nil` if there are not enough bytes.
  ///
  /// Each number takes at least one byte, so memory use is limited by the size of the input.
  package static func read(
    _ count: Int, _ order: Order, _ bytes: [UInt8], at position: inout Int
  ) -> [Int64]? {
    guard count >= 0, count <= bytes.count - position else { return nil }
    var values: [Int64] = []
    values.reserveCapacity(count)
    var last: Int64 = 0
    var step: Int64 = 0
    for _ in 0..<count {
      guard let word = LEB128.read(bytes, at: &position) else { return nil }
      let number = ZigZag.decode(word)
      step = order == .first ? number : step &+ number
      last &+= step
      values.append(last)
    }
    return values
  }
}
