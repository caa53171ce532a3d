/// A compact encoding of integers that grow by about the same step: the first number, the usual step, and the
/// deviation of each step from it.
///
/// The first number and the step are in LEB128 with zigzag. Then a byte: 0 if every step is the usual one, or
/// 1 if `PackedGroup`s of 128 deviations with zigzag follow. Differences wrap around on overflow, so all
/// numbers are restored exactly.
///
/// Second differences would be larger: the times of a sensor have random jitter, and subtracting neighboring
/// steps makes it three times as large.
enum SteppedColumn {
  private static let even: UInt8 = 0
  private static let packed: UInt8 = 1
  /// Maximum number of steps from which the usual step is computed.
  private static let looks = 63

  /// - Parameter values: At least one value.
  static func append(_ values: [Int64], to bytes: inout [UInt8]) {
    let step = usualStep(of: values)
    LEB128.append(ZigZag.encode(values[0]), to: &bytes)
    LEB128.append(ZigZag.encode(step), to: &bytes)
    var differences: [UInt64] = []
    differences.reserveCapacity(values.count)
    for place in values.indices.dropFirst() {
      differences.append(ZigZag.encode(values[place] &- values[place - 1] &- step))
    }
    guard differences.contains(where: { $0 != 0 }) else {
      bytes.append(even)
      return
    }
    bytes.append(packed)
    for start in stride(from: 0, to: differences.count, by: PackedGroup.capacity) {
      let end = min(start + PackedGroup.capacity, differences.count)
      PackedGroup.append(differences[start..<end], to: &bytes)
    }
  }

  /// - Parameter count: At least 1. The caller must limit it, because equal steps do not need bytes.
  /// - Returns: The numbers; `nil` for bytes that `append` never writes.
  static func read(_ count: Int, _ reader: inout ColumnReader) -> [Int64]? {
    guard let first = reader.number().map(ZigZag.decode), let step = reader.number().map(ZigZag.decode),
      let form = reader.byte(), form <= packed
    else { return nil }
    var isSound = true
    let values = [Int64](unsafeUninitializedCapacity: count) { values, initialized in
      values[0] = first
      initialized = 1
      if form == even {
        for place in 1..<count { values[place] = values[place - 1] &+ step }
        initialized = count
      } else {
        isSound = readGroups(step, &reader, into: values, &initialized)
      }
    }
    return isSound ? values : nil
  }

  private static func readGroups(
    _ step: Int64, _ reader: inout ColumnReader, into values: UnsafeMutableBufferPointer<Int64>,
    _ initialized: inout Int
  ) -> Bool {
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: PackedGroup.capacity) { group in
      var last = values[0]
      while initialized < values.count {
        let size = min(PackedGroup.capacity, values.count - initialized)
        let numbers = UnsafeMutableBufferPointer(rebasing: group[..<size])
        guard PackedGroup.read(&reader, into: numbers) else { return false }
        let rest = UnsafeMutableBufferPointer(rebasing: values[initialized..<initialized + size])
        for place in 0..<size {
          last = last &+ step &+ ZigZag.decode(numbers[place])
          rest[place] = last
        }
        initialized += size
      }
      return true
    }
  }

  /// Returns the median of an evenly distributed sample of the steps.
  private static func usualStep(of values: [Int64]) -> Int64 {
    let count = values.count - 1
    guard count > 0 else { return 0 }
    let looks = min(count, looks)
    let steps = (0..<looks).map { look in
      let place = look * count / looks
      return values[place + 1] &- values[place]
    }
    return steps.sorted()[looks / 2]
  }
}
