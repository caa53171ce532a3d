/// Whole numbers that hardly change, or change evenly: as the LEB128 of their differences, or of the
/// differences of those.
///
/// Differences wrap around, so that any numbers come back.
package enum IntegerColumn {
  package enum Order {
    /// Differences of neighbours: for values.
    case first
    /// Differences of the differences: for times in a steady rhythm.
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

  /// Reads numbers at `position` and moves past them; nil if the bytes end before they do. A number takes a
  /// byte at least, so that nothing is allocated beyond the size of the bytes.
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
