extension BinaryPropertyList {
  /// A position within one object, which does not pass the end of all objects.
  struct Reader {
    let bytes: [UInt8]
    let start: Int
    var position: Int
    let end: Int

    /// Moves past `count` elements of `width` bytes and gives the bytes.
    mutating func take(_ count: Int, width: Int = 1) throws(ArchiveError) -> ArraySlice<UInt8> {
      // Division, because the product could overflow.
      guard count >= 0, count <= (end - position) / width else { throw malformed("length") }
      defer { position += count * width }
      return bytes[position..<position + count * width]
    }

    /// The count that the low half of a marker gives, or the integer after the marker if that half is full.
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
