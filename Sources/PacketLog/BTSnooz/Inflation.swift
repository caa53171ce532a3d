/// Unpacks zlib's format (RFC 1950) and DEFLATE inside it (RFC 1951), in memory and up to a limit: for the
/// small log of a bug report. Whole files are unpacked by the system's programs.
struct Inflation {
  enum Ending {
    case complete
    /// The octets end before the packed data do.
    case cutShort
    case malformed
    /// There is more than the limit allows.
    case tooLong
  }

  private(set) var output: [UInt8] = []
  private let input: ArraySlice<UInt8>
  private let limit: Int
  private var position: Int
  private var bits: UInt32 = 0
  private var bitCount = 0

  /// - Parameter zlib: packed data with their header.
  init(zlib input: ArraySlice<UInt8>, upTo limit: Int) {
    self.input = input
    self.limit = limit
    position = input.startIndex
  }

  /// Unpacks as much as there is.
  mutating func run() -> Ending {
    do throws(Failure) {
      guard Self.isHeader(try octet() << 8 | octet()) else { return .malformed }
      while try !block() {}
      alignToOctet()
      let checksum =
        try UInt32(octet()) << 24 | UInt32(octet()) << 16 | UInt32(octet()) << 8 | UInt32(octet())
      return checksum == adler32 ? .complete : .malformed
    } catch {
      return error.ending
    }
  }

  /// DEFLATE without a dictionary that was agreed on before (RFC 1950, §2.2).
  static func isHeader(_ header: UInt16) -> Bool {
    let needsDictionary: UInt16 = 0x20
    return header.isMultiple(of: 31) && header >> 8 & 0x0F == 8 && header & needsDictionary == 0
  }

  private struct Failure: Error {
    var ending: Ending
  }

  private var adler32: UInt32 {
    let modulus: UInt32 = 65_521
    var sums: (UInt32, UInt32) = (1, 0)
    for octet in output {
      sums.0 = (sums.0 + UInt32(octet)) % modulus
      sums.1 = (sums.1 + sums.0) % modulus
    }
    return sums.1 << 16 | sums.0
  }

  // MARK: - Bits

  private mutating func octet() throws(Failure) -> UInt16 {
    guard position < input.endIndex else { throw Failure(ending: .cutShort) }
    defer { position += 1 }
    return UInt16(input[position])
  }

  private mutating func alignToOctet() {
    bits = 0
    bitCount = 0
  }

  /// - Parameter count: up to 13, the most that any field has.
  private mutating func take(_ count: Int) throws(Failure) -> Int {
    while bitCount < count {
      bits |= UInt32(try octet()) << UInt32(bitCount)
      bitCount += 8
    }
    let value = bits & (1 << UInt32(count) - 1)
    bits >>= UInt32(count)
    bitCount -= count
    return Int(value)
  }

  private mutating func append(_ octet: UInt8) throws(Failure) {
    guard output.count < limit else { throw Failure(ending: .tooLong) }
    output.append(octet)
  }

  // MARK: - Blocks

  /// - Returns: whether it was the last.
  private mutating func block() throws(Failure) -> Bool {
    let isLast = try take(1) == 1
    switch try take(2) {
    case 0: try storedBlock()
    case 1: try codedBlock(.fixedLengths, .fixedDistances)
    case 2:
      let (lengths, distances) = try dynamicCodes()
      try codedBlock(lengths, distances)
    default: throw Failure(ending: .malformed)
    }
    return isLast
  }

  private mutating func storedBlock() throws(Failure) {
    alignToOctet()
    let length = try octet() | octet() << 8
    let complement = try octet() | octet() << 8
    guard length == ~complement else { throw Failure(ending: .malformed) }
    for _ in 0..<length { try append(UInt8(truncatingIfNeeded: octet())) }
  }

  private mutating func codedBlock(_ lengths: PrefixCode, _ distances: PrefixCode) throws(Failure) {
    let endOfBlock = 256
    while true {
      let symbol = try decode(lengths)
      if symbol < endOfBlock {
        try append(UInt8(symbol))
      } else if symbol == endOfBlock {
        return
      } else {
        let length = try value(Self.lengths, symbol - endOfBlock - 1)
        let distance = try value(Self.distances, try decode(distances))
        guard distance <= output.count else { throw Failure(ending: .malformed) }
        for _ in 0..<length { try append(output[output.count - distance]) }
      }
    }
  }

  /// A base and how many bits are added to it, by symbol (RFC 1951, §3.2.5).
  private typealias Steps = [(base: Int, bits: Int)]

  private mutating func value(_ steps: Steps, _ symbol: Int) throws(Failure) -> Int {
    guard symbol < steps.count else { throw Failure(ending: .malformed) }
    return steps[symbol].base + (try take(steps[symbol].bits))
  }

  /// - Parameter each: how many symbols in a row have the same number of bits.
  private static func steps(from base: Int, bits: [Int], each: Int) -> Steps {
    var next = base
    return bits.flatMap { bits in (0..<each).map { _ in bits } }.map { bits in
      defer { next += 1 << bits }
      return (next, bits)
    }
  }

  private static let lengths: Steps = {
    let all = steps(from: 3, bits: [0, 0, 1, 2, 3, 4, 5], each: 4)
    // The longest has a symbol of its own, and the one before ends short of it.
    return all + [(258, 0)]
  }()

  private static let distances = steps(from: 1, bits: [0, 0] + Array(1...13), each: 2)

  /// The lengths of codes stand in this order, the rarest last (RFC 1951, §3.2.7).
  private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

  private mutating func dynamicCodes() throws(Failure) -> (lengths: PrefixCode, distances: PrefixCode) {
    let lengthCount = try take(5) + 257
    let distanceCount = try take(5) + 1
    var ofCodes = [UInt8](repeating: 0, count: Self.order.count)
    for place in 0..<(try take(4) + 4) { ofCodes[Self.order[place]] = UInt8(try take(3)) }
    let code = try prefixCode(ofCodes)
    var bits: [UInt8] = []
    while bits.count < lengthCount + distanceCount {
      switch try decode(code) {
      case let length where length < 16: bits.append(UInt8(length))
      case 16:
        guard let last = bits.last else { throw Failure(ending: .malformed) }
        bits += Array(repeating: last, count: try take(2) + 3)
      case 17: bits += Array(repeating: 0, count: try take(3) + 3)
      default: bits += Array(repeating: 0, count: try take(7) + 11)
      }
    }
    guard bits.count == lengthCount + distanceCount else { throw Failure(ending: .malformed) }
    return (try prefixCode(Array(bits[..<lengthCount])), try prefixCode(Array(bits[lengthCount...])))
  }

  // MARK: - Prefix codes

  private func prefixCode(_ lengths: [UInt8]) throws(Failure) -> PrefixCode {
    guard let code = PrefixCode(lengths) else { throw Failure(ending: .malformed) }
    return code
  }

  private mutating func decode(_ code: PrefixCode) throws(Failure) -> Int {
    // Codes of one length are consecutive numbers, and begin where those of the length before end.
    var (number, first, place) = (0, 0, 0)
    for count in code.counts.dropFirst() {
      number |= try take(1)
      if number - first < count { return code.symbols[place + number - first] }
      place += count
      first = (first + count) << 1
      number <<= 1
    }
    throw Failure(ending: .malformed)
  }
}

/// A canonical prefix code (RFC 1951, §3.2.2).
struct PrefixCode {
  /// How many codes there are of each length in bits.
  fileprivate let counts: [Int]
  /// In the order of their codes.
  fileprivate let symbols: [Int]

  /// - Parameter lengths: of each symbol's code in bits, 0 for a symbol that does not occur.
  /// - Returns: `nil` where there are more codes than the lengths have room for.
  init?(_ lengths: [UInt8]) {
    var counts = [Int](repeating: 0, count: 16)
    for length in lengths where length > 0 { counts[Int(length)] += 1 }
    var room = 1
    for count in counts.dropFirst() {
      room = room << 1 - count
      guard room >= 0 else { return nil }
    }
    self.counts = counts
    symbols = lengths.indices.filter { lengths[$0] > 0 }.sorted { (lengths[$0], $0) < (lengths[$1], $1) }
  }

  fileprivate static let fixedLengths = PrefixCode(
    unchecked: (0..<288).map { symbol in
      switch symbol {
      case ..<144: 8
      case ..<256: 9
      case ..<280: 7
      default: 8
      }
    })
  fileprivate static let fixedDistances = PrefixCode(unchecked: Array(repeating: 5, count: 30))

  private init(unchecked lengths: [UInt8]) {
    var counts = [Int](repeating: 0, count: 16)
    for length in lengths { counts[Int(length)] += 1 }
    self.counts = counts
    symbols = lengths.indices.sorted { (lengths[$0], $0) < (lengths[$1], $1) }
  }
}
