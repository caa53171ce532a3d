/// Packs octets as gzip does (RFC 1951, RFC 1952): repetitions are named by their distance, in fixed codes.
///
/// For files that stand in the program, and are packed once: a tenth more than zlib makes of them, and no
/// library.
struct Gzip {
  /// How far back a repetition may lie, how short and how long it may be.
  private static let window = 32_768
  private static let shortest = 3
  private static let longest = 258
  /// More places than these are not tried.
  private static let mostTries = 64

  private var output: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]
  private var bits: UInt64 = 0
  private var bitCount: UInt64 = 0

  static func packed(_ input: [UInt8]) -> [UInt8] {
    var gzip = Gzip()
    // One block, the last, with the fixed codes.
    gzip.put(0b011, 3)
    gzip.putRepetitions(of: input)
    gzip.putSymbol(256)
    gzip.put(0, (8 - gzip.bitCount % 8) % 8)
    for value in [checksum(input), UInt32(truncatingIfNeeded: input.count)] { gzip.put(UInt64(value), 32) }
    return gzip.output
  }

  private mutating func putRepetitions(of input: [UInt8]) {
    // The last place of each three octets, and for each place the one before with the same three.
    var last = [Int](repeating: -1, count: 1 << 15)
    var before = [Int](repeating: -1, count: input.count)
    func note(_ place: Int) {
      guard place + Self.shortest <= input.count else { return }
      let key = Self.key(input, place)
      before[place] = last[key]
      last[key] = place
    }
    var place = 0
    while place < input.count {
      var (length, distance) = (0, 0)
      if place + Self.shortest <= input.count {
        var (candidate, tries) = (last[Self.key(input, place)], 0)
        while candidate >= 0, place - candidate <= Self.window, tries < Self.mostTries {
          let found = Self.common(input, candidate, place)
          if found > length { (length, distance) = (found, place - candidate) }
          candidate = before[candidate]
          tries += 1
        }
      }
      if length < Self.shortest {
        putSymbol(Int(input[place]))
        length = 1
      } else {
        putRepetition(length, distance)
      }
      for each in place..<place + length { note(each) }
      place += length
    }
  }

  private static func key(_ input: [UInt8], _ place: Int) -> Int {
    let three = Int(input[place]) | Int(input[place + 1]) << 8 | Int(input[place + 2]) << 16
    return (three &* 0x9E37_79B1) >> 12 & 0x7fff
  }

  private static func common(_ input: [UInt8], _ first: Int, _ second: Int) -> Int {
    var length = 0
    while length < longest, second + length < input.count, input[first + length] == input[second + length] {
      length += 1
    }
    return length
  }

  private mutating func putRepetition(_ length: Int, _ distance: Int) {
    let more = length - Self.shortest
    if length == Self.longest {
      putSymbol(285)
    } else {
      let extra = more < 8 ? 0 : Self.logarithm(more) - 2
      putSymbol(257 + 4 * extra + more >> extra)
      put(UInt64(more & (1 << extra - 1)), UInt64(extra))
    }
    let back = distance - 1
    let extra = back < 4 ? 0 : Self.logarithm(back) - 1
    putCode(UInt64(2 * extra + back >> extra), 5)
    put(UInt64(back & (1 << extra - 1)), UInt64(extra))
  }

  private static func logarithm(_ number: Int) -> Int { Int.bitWidth - 1 - number.leadingZeroBitCount }

  /// A literal, a length, or the end, in the fixed code.
  private mutating func putSymbol(_ symbol: Int) {
    let symbol = UInt64(symbol)
    switch symbol {
    case ..<144: putCode(0x30 + symbol, 8)
    case ..<256: putCode(0x190 + symbol - 144, 9)
    case ..<280: putCode(symbol - 256, 7)
    default: putCode(0xC0 + symbol - 280, 8)
    }
  }

  /// Codes come with their greatest bit first, all else with its least.
  private mutating func putCode(_ code: UInt64, _ count: UInt64) {
    put((0..<count).reduce(0) { $0 << 1 | (code >> $1 & 1) }, count)
  }

  private mutating func put(_ value: UInt64, _ count: UInt64) {
    bits |= value << bitCount
    bitCount += count
    while bitCount >= 8 {
      output.append(UInt8(truncatingIfNeeded: bits))
      bits >>= 8
      bitCount -= 8
    }
  }

  /// CRC-32, as gzip has it.
  private static func checksum(_ input: [UInt8]) -> UInt32 {
    var sum = UInt32.max
    for byte in input {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 0 ? 0 : 0xEDB8_8320) }
    }
    return ~sum
  }
}
