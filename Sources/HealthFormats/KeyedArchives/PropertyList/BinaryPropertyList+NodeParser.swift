extension BinaryPropertyList {
  /// Parses objects one by one and checks that their total size does not exceed the file.
  struct NodeParser {
    private let bytes: [UInt8]
    private let end: Int
    private let objectCount: UInt64
    private let referenceWidth: Int
    /// The number of bytes left for further objects. In a valid file objects do not overlap, but a malicious
    /// file could point to the same long array many times.
    private var budget: Int

    init(bytes: [UInt8], trailer: Trailer) {
      self.bytes = bytes
      end = trailer.table
      objectCount = UInt64(trailer.objectCount)
      referenceWidth = trailer.referenceWidth
      budget = trailer.table - Trailer.signature.count
    }

    /// Returns the object at `offset` and its length in bytes.
    mutating func node(at offset: Int) throws(ArchiveError) -> (PropertyListNode, length: Int) {
      var reader = Reader(bytes: bytes, start: offset, position: offset, end: end)
      let node = try node(from: &reader)
      let length = reader.position - offset
      budget -= length
      guard budget >= 0 else { throw ArchiveError(.malformed("overlapping objects"), offset: offset) }
      return (node, length)
    }

    private func node(from reader: inout Reader) throws(ArchiveError) -> PropertyListNode {
      let marker = try reader.take(1)[reader.start]
      let low = marker & 0x0F
      switch marker >> 4 {
      case 0x0: return try simple(low, reader)
      case 0x1: return try integer(low, &reader)
      case 0x2 where low == 2:
        return .real(
          Double(Float(bitPattern: UInt32(truncatingIfNeeded: BigEndian.read(try reader.take(4))))))
      case 0x2 where low == 3: return .real(Double(bitPattern: BigEndian.read(try reader.take(8))))
      case 0x3 where low == 3: return .date(Double(bitPattern: BigEndian.read(try reader.take(8))))
      case 0x4: return .data(try reader.take(try reader.count(low)).indices)
      case 0x5: return try ascii(try reader.take(try reader.count(low)), reader)
      case 0x6: return try utf16(try reader.take(try reader.count(low), width: 2), reader)
      case 0x8 where low < 8: return try uid(try reader.take(Int(low) + 1), reader)
      case 0xA: return .array(try references(try reader.count(low), &reader))
      case 0xB, 0xC: return .set(try references(try reader.count(low), &reader))
      case 0xD:
        let count = try reader.count(low)
        return .dictionary(keys: try references(count, &reader), values: try references(count, &reader))
      default: throw reader.malformed("kind of object")
      }
    }

    private func simple(_ low: UInt8, _ reader: Reader) throws(ArchiveError) -> PropertyListNode {
      switch low {
      case 0x0: return .null
      case 0x8: return .bool(false)
      case 0x9: return .bool(true)
      default: throw reader.malformed("kind of object")
      }
    }

    /// Parses an integer. One, two and four bytes are unsigned, eight bytes are signed, and sixteen bytes
    /// hold `UInt64` values that are larger.
    private func integer(_ low: UInt8, _ reader: inout Reader) throws(ArchiveError) -> PropertyListNode {
      switch low {
      case 0...3: return .integer(Int64(bitPattern: BigEndian.read(try reader.take(1 << Int(low)))))
      case 4:
        let high = BigEndian.read(try reader.take(8))
        let value = BigEndian.read(try reader.take(8))
        if high == 0 { return Int64(exactly: value).map(PropertyListNode.integer) ?? .unsigned(value) }
        guard high == .max, value > Int64.max else { throw reader.malformed("integer beyond 64 bits") }
        return .integer(Int64(bitPattern: value))
      default: throw reader.malformed("width of an integer")
      }
    }

    private func ascii(_ text: ArraySlice<UInt8>, _ reader: Reader) throws(ArchiveError) -> PropertyListNode {
      guard text.allSatisfy({ $0 < 0x80 }) else { throw reader.malformed("ASCII text") }
      return .string(String(decoding: text, as: UTF8.self))
    }

    private func utf16(_ text: ArraySlice<UInt8>, _ reader: Reader) throws(ArchiveError) -> PropertyListNode {
      let units = stride(from: text.startIndex, to: text.endIndex, by: 2).lazy
        .map { UInt16(text[$0]) << 8 | UInt16(text[$0 + 1]) }
      guard let string = String(validating: units, as: UTF16.self) else {
        throw reader.malformed("UTF-16 text")
      }
      return .string(string)
    }

    /// Parses a UID. Rejects values above 32 bits, because readers use the UID as an array index.
    private func uid(_ number: ArraySlice<UInt8>, _ reader: Reader) throws(ArchiveError) -> PropertyListNode {
      guard let value = UInt32(exactly: BigEndian.read(number)) else { throw reader.malformed("UID") }
      return .uid(Int(value))
    }

    private func references(
      _ count: Int, _ reader: inout Reader
    ) throws(ArchiveError) -> PropertyListNode.References {
      let references = try reader.take(count, width: referenceWidth)
      for start in stride(from: references.startIndex, to: references.endIndex, by: referenceWidth) {
        guard BigEndian.read(references[start..<start + referenceWidth]) < objectCount else {
          throw reader.malformed("reference to an object")
        }
      }
      return PropertyListNode.References(start: references.startIndex, count: count)
    }
  }
}

extension BinaryPropertyList {
  /// A reader for the bytes of one object, limited to the object section of the file.
  struct Reader {
    let bytes: [UInt8]
    let start: Int
    var position: Int
    let end: Int

    /// Consumes `count` elements of `width` bytes each, and returns their bytes.
    mutating func take(_ count: Int, width: Int = 1) throws(ArchiveError) -> ArraySlice<UInt8> {
      // Divide instead of multiplying `count` and `width`, because the product could overflow.
      guard count >= 0, count <= (end - position) / width else { throw malformed("length") }
      defer { position += count * width }
      return bytes[position..<position + count * width]
    }

    /// Returns the count of an object. It is the low half of the marker byte, or, if that is 15, the integer
    /// that follows.
    mutating func count(_ low: UInt8) throws(ArchiveError) -> Int {
      guard low == 0x0F else { return Int(low) }
      let marker = BigEndian.read(try take(1))
      guard 0x10...0x13 ~= marker else { throw malformed("length") }
      guard let count = Int(exactly: BigEndian.read(try take(1 << Int(marker & 3)))) else {
        throw malformed("length")
      }
      return count
    }

    func malformed(_ what: String) -> ArchiveError { ArchiveError(.malformed(what), offset: start) }
  }
}

/// Reads and writes big-endian unsigned integers.
enum BigEndian {
  /// Returns the value of up to eight bytes.
  static func read(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
  }

  /// Appends the low `width` bytes of a value.
  static func append(_ value: Int, width: Int, to bytes: inout [UInt8]) {
    for shift in (0..<width).reversed() { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * shift))) }
  }

  /// Returns the smallest of 1, 2, 4 and 8 bytes that holds a value.
  static func width(of value: Int) -> Int {
    switch value {
    case ...0xFF: 1
    case ...0xFFFF: 2
    case ...0xFFFF_FFFF: 4
    default: 8
    }
  }
}
