import Foundation

/// The file that says what was carried: a page is carried once its record is in it.
///
/// A record says how far the files of the present segment are good, and what was written about which samples.
/// It ends with a checksum, so that one that was cut off by a crash is seen, and is none.
struct Ledger {
  /// Where the present segment stands.
  struct Segment: Hashable, Sendable {
    var number: UInt64 = 1
    /// Bytes of its file of samples, and of its file of deletions.
    var samples = 0
    var deletions = 0
  }

  private static let mark: UInt64 = 0x3130_5247_444c_5248  // "HRLDGR01"
  private static let head = 48

  private let file: OpenFile
  private(set) var size = 0

  init(_ file: OpenFile) {
    self.file = file
  }

  struct Damaged: Error {}

  /// Reads what is there, and cuts off what a crash left unfinished.
  /// - Throws: `Damaged`, where something is wrong that no crash leaves.
  mutating func read(_ each: (CarriedEntry) -> Void) throws -> Segment? {
    let end = try file.size()
    var segment: Segment?
    while size < end {
      guard let record = try Self.record(of: file, at: size, before: end) else {
        // A write that never came through is the last one. Before one that holds, it held once itself.
        if try hasRecord(between: size + 1, and: end) { throw Damaged() }
        break
      }
      for place in stride(from: Self.head, to: record.count - 8, by: CarriedEntry.size) {
        let start = record.startIndex + place
        guard let entry = CarriedEntry(record[start..<(start + CarriedEntry.size)]) else { throw Damaged() }
        each(entry)
      }
      segment = Segment(
        number: record.number(at: 8), samples: Int(clamping: record.number(at: 16)),
        deletions: Int(clamping: record.number(at: 24)))
      size += record.count
    }
    if size < end {
      try file.truncate(to: size)
      try file.sync()
    }
    return segment
  }

  /// The record that begins at a place; nil if there is none, or not the whole of it.
  private static func record(of file: OpenFile, at place: Int, before end: Int) throws -> Data? {
    guard place + head + 8 <= end else { return nil }
    let head = try file.read(at: place, count: Self.head)
    // Shorter than it was a moment ago, if somebody else cuts it.
    guard head.count == Self.head, head.number(at: 0) == mark,
      checksum(head.prefix(40)) == head.number(at: 40)
    else { return nil }
    let count = Int(clamping: head.number(at: 32))
    guard count <= (end - place) / CarriedEntry.size else { return nil }
    let length = Self.head + count * CarriedEntry.size + 8
    guard place + length <= end else { return nil }
    let record = try file.read(at: place, count: length)
    guard record.count == length else { return nil }
    return checksum(record.dropLast(8)) == record.number(at: length - 8) ? record : nil
  }

  private func hasRecord(between first: Int, and end: Int) throws -> Bool {
    guard first < end else { return false }
    let bytes = try file.read(at: first, count: end - first)
    var sought = Data()
    sought.append(Self.mark)
    var from = bytes.startIndex
    while let found = bytes.range(of: sought, in: from..<bytes.endIndex) {
      let place = first + bytes.distance(from: bytes.startIndex, to: found.lowerBound)
      if try Self.record(of: file, at: place, before: end) != nil { return true }
      from = found.lowerBound + 1
    }
    return false
  }

  /// Durable when it returns.
  mutating func append(_ segment: Segment, _ entries: [CarriedEntry]) throws(FolderFailure) {
    var record = Data(capacity: Self.head + entries.count * CarriedEntry.size + 8)
    record.append(Self.mark)
    record.append(segment.number)
    record.append(UInt64(segment.samples))
    record.append(UInt64(segment.deletions))
    record.append(UInt64(entries.count))
    record.append(checksum(record))
    for entry in entries { entry.append(to: &record) }
    record.append(checksum(record))
    try file.write(record, at: size)
    try file.sync()
    size += record.count
  }
}
