import Foundation

/// The file that says what was carried: a page is carried once its record is in it.
///
/// A record says how much of the current segment's files is good, what was written about which samples, and
/// which page of which destination it was. It ends with a checksum, so that one that was cut off by a crash
/// is noticed and ignored.
struct Ledger {
  /// How much of the current segment is written.
  struct Segment: Hashable, Sendable {
    var number: UInt64 = 1
    /// Bytes of its file of samples, and of its file of deletions.
    var samples = 0
    var deletions = 0
  }

  /// A destination's last page: the id of its marker and the sequence.
  struct Mark: Hashable, Sendable {
    var id: UUID
    var sequence: UInt64
  }

  /// What the records of one ledger after another say.
  struct Contents {
    var entries: [UUID: CarriedEntry.State] = [:]
    /// The last page of each destination, by the id of its marker.
    var marks: [UUID: UInt64] = [:]
    /// Of the last record; nil before the first.
    var segment: Segment?
  }

  private struct Record {
    let segment: Segment
    let mark: Mark?
    let entries: [CarriedEntry]
    let size: Int
  }

  /// The first bytes of a record: a name, and the version of the layout. Version 1 has no mark.
  private static let name = Data("HRLDGR0".utf8)
  private static let version = UInt8(ascii: "2")
  private static let oldVersion = UInt8(ascii: "1")
  /// The bytes before the entries, by the version.
  private static let heads: [UInt8: Int] = [oldVersion: 48, version: 72]
  private static let longestHead = 72

  private let file: OpenFile
  private(set) var size = 0

  init(_ file: OpenFile) {
    self.file = file
  }

  struct Damaged: Error {}

  /// Reads the records, and cuts off what a crash left unfinished.
  /// - Throws: `Damaged` for damage that no crash causes.
  mutating func read(into contents: inout Contents) throws {
    let end = try file.size()
    while size < end {
      guard let record = try Self.record(of: file, at: size, before: end) else {
        // A write that never completed is the last one. What is before a good record was good once itself.
        if try hasRecord(between: size + 1, and: end) { throw Damaged() }
        break
      }
      if let mark = record.mark { contents.marks[mark.id] = mark.sequence }
      for entry in record.entries { contents.entries[entry.uuid] = entry.state }
      contents.segment = record.segment
      size += record.size
    }
    if size < end {
      try file.truncate(to: size)
      try file.sync()
    }
  }

  /// Returns the record at an offset; nil if there is none, or not the whole of it.
  private static func record(of file: OpenFile, at offset: Int, before end: Int) throws -> Record? {
    let head = try file.read(at: offset, count: min(longestHead, end - offset))
    guard head.count > name.count, head.prefix(name.count) == name,
      let length = heads[head[head.startIndex + name.count]], head.count >= length,
      checksum(head.prefix(length - 8)) == head.number(at: length - 8)
    else { return nil }
    let count = Int(clamping: head.number(at: 32))
    guard count <= (end - offset) / CarriedEntry.size else { return nil }
    let whole = length + count * CarriedEntry.size + 8
    guard offset + whole <= end else { return nil }
    let bytes = try file.read(at: offset, count: whole)
    // It is shorter than it was a moment ago if another process cuts it.
    guard bytes.count == whole, checksum(bytes.dropLast(8)) == bytes.number(at: whole - 8) else { return nil }
    var entries: [CarriedEntry] = []
    entries.reserveCapacity(count)
    for place in stride(from: length, to: whole - 8, by: CarriedEntry.size) {
      let start = bytes.startIndex + place
      guard let entry = CarriedEntry(bytes[start..<(start + CarriedEntry.size)]) else { throw Damaged() }
      entries.append(entry)
    }
    return Record(
      segment: Segment(
        number: head.number(at: 8), samples: Int(clamping: head.number(at: 16)),
        deletions: Int(clamping: head.number(at: 24))),
      mark: length == longestHead ? mark(in: head) : nil, entries: entries, size: whole)
  }

  /// nil for a page without one.
  private static func mark(in head: Data) -> Mark? {
    let id = head.dropFirst(40).prefix(16).withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    return id == none ? nil : Mark(id: id, sequence: head.number(at: 56))
  }

  private static let none = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

  private func hasRecord(between first: Int, and end: Int) throws -> Bool {
    guard first < end else { return false }
    let bytes = try file.read(at: first, count: end - first)
    var from = bytes.startIndex
    while let found = bytes.range(of: Self.name, in: from..<bytes.endIndex) {
      let place = first + bytes.distance(from: bytes.startIndex, to: found.lowerBound)
      if try Self.record(of: file, at: place, before: end) != nil { return true }
      from = found.lowerBound + 1
    }
    return false
  }

  /// Appends a record, durably.
  mutating func append(
    _ segment: Segment, _ entries: [CarriedEntry], _ mark: Mark?
  ) throws(FolderFailure) {
    var record = Data(capacity: Self.longestHead + entries.count * CarriedEntry.size + 8)
    record.append(Self.name)
    record.append(Self.version)
    record.append(segment.number)
    record.append(UInt64(segment.samples))
    record.append(UInt64(segment.deletions))
    record.append(UInt64(entries.count))
    withUnsafeBytes(of: (mark?.id ?? Self.none).uuid) { record.append(contentsOf: $0) }
    record.append(mark?.sequence ?? 0)
    record.append(checksum(record))
    for entry in entries { entry.append(to: &record) }
    record.append(checksum(record))
    try file.write(record, at: size)
    try file.sync()
    size += record.count
  }
}
