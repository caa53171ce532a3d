extension BinaryPropertyList {
  /// The last 32 bytes of the file, which say where everything else is.
  struct Trailer {
    static let length = 32
    static let signature = Array("bplist00".utf8)

    let offsetWidth: Int
    let referenceWidth: Int
    let objectCount: Int
    let root: Int
    /// Where the table of offsets begins, and the objects end.
    let table: Int

    init(of bytes: [UInt8], limits: ArchiveLimits) throws(ArchiveError) {
      guard bytes.count <= limits.bytes else { throw ArchiveError(.limitExceeded("bytes"), offset: 0) }
      guard bytes.starts(with: Self.signature) else {
        throw ArchiveError(Self.looksLikeXML(bytes) ? .xmlIsNotSupported : .notAnArchive, offset: 0)
      }
      let start = bytes.count - Self.length
      guard start > Self.signature.count else {
        throw ArchiveError(.malformed("trailer"), offset: bytes.count)
      }
      offsetWidth = Int(bytes[start + 6])
      referenceWidth = Int(bytes[start + 7])
      guard 1...8 ~= offsetWidth, 1...8 ~= referenceWidth else {
        throw ArchiveError(.malformed("width of offsets or references"), offset: start + 6)
      }
      let fields = stride(from: start + 8, to: bytes.count, by: 8).map { BigEndian.read(bytes[$0..<$0 + 8]) }
      guard let table = Int(exactly: fields[2]), table > Self.signature.count, table < start else {
        throw ArchiveError(.malformed("position of the offset table"), offset: start + 24)
      }
      guard fields[0] > 0, fields[0] <= UInt64((start - table) / offsetWidth) else {
        throw ArchiveError(.malformed("number of objects"), offset: start + 8)
      }
      guard fields[0] <= UInt64(limits.objects) else {
        throw ArchiveError(.limitExceeded("objects"), offset: start + 8)
      }
      guard fields[1] < fields[0] else {
        throw ArchiveError(.malformed("outermost object"), offset: start + 16)
      }
      objectCount = Int(fields[0])
      root = Int(fields[1])
      self.table = table
    }

    /// Where an object begins, which is before the table.
    func offset(ofObject index: Int, in bytes: [UInt8]) throws(ArchiveError) -> Int {
      let entry = table + index * offsetWidth
      let offset = BigEndian.read(bytes[entry..<entry + offsetWidth])
      guard offset >= UInt64(Self.signature.count), offset < UInt64(table) else {
        throw ArchiveError(.malformed("offset of an object"), offset: entry)
      }
      return Int(offset)
    }

    private static func looksLikeXML(_ bytes: [UInt8]) -> Bool {
      bytes.starts(with: "<?xml".utf8) || bytes.starts(with: "<plist".utf8)
    }
  }
}
