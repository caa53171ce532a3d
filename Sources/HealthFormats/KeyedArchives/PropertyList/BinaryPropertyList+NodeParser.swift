extension BinaryPropertyList {
  /// Reads one object after another, and makes sure that together they are no longer than the file.
  struct NodeParser {
    private let bytes: [UInt8]
    private let end: Int
    private let objectCount: UInt64
    private let referenceWidth: Int
    /// Objects do not overlap, so the rest of the file is all that further objects can take. Without this,
    /// each of many offsets could lead to the same long array.
    private var budget: Int

    init(bytes: [UInt8], trailer: Trailer) {
      self.bytes = bytes
      end = trailer.table
      objectCount = UInt64(trailer.objectCount)
      referenceWidth = trailer.referenceWidth
      budget = trailer.table - Trailer.signature.count
    }

    /// The object that begins at `offset`, and how many bytes it takes.
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

    /// One, two and four bytes are unsigned, eight are signed; sixteen hold what a `UInt64` needs beyond
    /// that.
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

    /// A reader of an archive uses a UID as an index, so one that could not be an index is refused here.
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
