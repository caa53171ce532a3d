/// A compact encoding of up to 128 small numbers: all take the same number of bits, and larger numbers are
/// exceptions.
///
/// The first byte is the number of bits per number (0 to 64), the second the number of exceptions. Then come
/// the numbers, the first in the lowest bits of the first byte, and for each exception its index and, in
/// LEB128, its upper bits. The number of bits is chosen to minimize the total size. For example, a single gap
/// between regular times is just one exception.
enum PackedGroup {
  static let capacity = 128

  // MARK: - Writing

  static func append(_ numbers: ArraySlice<UInt64>, to bytes: inout [UInt8]) {
    let width = bestWidth(of: numbers)
    let mask = mask(width)
    bytes.append(UInt8(width))
    bytes.append(UInt8(numbers.count { $0 > mask }))
    appendBits(numbers, width, to: &bytes)
    for (place, number) in numbers.enumerated() where number > mask {
      bytes.append(UInt8(place))
      LEB128.append(number >> UInt64(width), to: &bytes)
    }
  }

  private static func mask(_ width: Int) -> UInt64 { width == 64 ? .max : 1 << UInt64(width) - 1 }

  private static func size(_ count: Int, _ width: Int) -> Int { (count * width + 7) / 8 }

  private static func bestWidth(of numbers: ArraySlice<UInt64>) -> Int {
    var counts = [Int](repeating: 0, count: 65)
    for number in numbers { counts[64 - number.leadingZeroBitCount] += 1 }
    let longest = counts.lastIndex { $0 > 0 } ?? 0
    var best = (width: longest, size: size(numbers.count, longest))
    for width in stride(from: longest - 1, through: 0, by: -1) {
      let exceptions = (width + 1...longest).reduce(0) {
        $0 + counts[$1] * (1 + LEB128.size(ofBits: $1 - width))
      }
      let size = size(numbers.count, width) + exceptions
      if size < best.size { best = (width, size) }
    }
    return best.width
  }

  private static func appendBits(_ numbers: ArraySlice<UInt64>, _ width: Int, to bytes: inout [UInt8]) {
    guard width > 0 else { return }
    let mask = mask(width)
    var word: UInt64 = 0
    var filled = 0
    for number in numbers {
      let bits = number & mask
      word |= bits << UInt64(filled)
      filled += width
      guard filled >= 64 else { continue }
      LittleEndian.append(word, to: &bytes)
      filled -= 64
      word = filled > 0 ? bits >> UInt64(width - filled) : 0
    }
    for shift in stride(from: 0, to: filled, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
    }
  }

  // MARK: - Reading

  /// - Parameter numbers: The destination, of at most `capacity` numbers.
  /// - Returns: `false` if the bytes are not a valid group.
  static func read(_ reader: inout ColumnReader, into numbers: UnsafeMutableBufferPointer<UInt64>) -> Bool {
    guard let width = reader.byte().map(Int.init), width <= 64, let exceptions = reader.byte(),
      reader.take(size(numbers.count, width), { unpack($0, width, into: numbers) }) != nil
    else { return false }
    for _ in 0..<exceptions {
      guard let place = reader.byte().map(Int.init), place < numbers.count, let above = reader.number(),
        width < 64, above <= UInt64.max >> UInt64(width)
      else { return false }
      numbers[place] |= above << UInt64(width)
    }
    return true
  }

  /// - Parameter bytes: The bytes of the numbers, followed by at least nine more.
  private static func unpack(
    _ bytes: UnsafeRawBufferPointer, _ width: Int, into numbers: UnsafeMutableBufferPointer<UInt64>
  ) {
    guard width > 0 else { return numbers.update(repeating: 0) }
    let mask = mask(width)
    // The number of numbers that fit completely into a word, regardless of the bit offset of the first one.
    let inWord = 57 / width
    guard inWord > 0 else { return unpackWide(bytes, width, into: numbers) }
    var bit = 0
    for first in stride(from: 0, to: numbers.count, by: inWord) {
      var word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: bit >> 3, as: UInt64.self))
      word &>>= UInt64(bit & 7)
      for place in first..<min(first &+ inWord, numbers.count) {
        numbers[place] = word & mask
        word &>>= UInt64(width)
      }
      bit &+= inWord &* width
    }
  }

  /// - Parameter width: More than 57 bits, so that a number may extend over two words.
  private static func unpackWide(
    _ bytes: UnsafeRawBufferPointer, _ width: Int, into numbers: UnsafeMutableBufferPointer<UInt64>
  ) {
    let mask = mask(width)
    var bit = 0
    for place in numbers.indices {
      let shift = UInt64(bit & 7)
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: bit >> 3, as: UInt64.self))
      var number = word >> shift
      if shift > 0 { number |= UInt64(bytes[bit >> 3 + 8]) << (64 - shift) }
      numbers[place] = number & mask
      bit += width
    }
  }
}
