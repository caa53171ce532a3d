import Foundation

/// Reads the index files that versions up to November 2026 wrote: runs of sorted entries
/// (`index-FIRST-LAST`), and ledgers with unsorted ones (`ledger-NUMBER`).
enum EarlierIndex {
  struct Contents {
    var segment = SegmentPosition()
    var marks: [WrittenIndex.Mark] = []
  }

  /// Reads all entries.
  ///
  /// - Parameter body: Called with each entry. If a UUID occurs several times, the last entry is the newest.
  /// - Throws: `DamagedIndexError` for damage that a crash cannot cause.
  static func read(
    _ folder: Folder, _ body: (UUID, IndexEntry.State) throws -> Void
  ) throws -> Contents {
    let names = try folder.names()
    let found = names.compactMap(runRange)
    // Skip a run file whose range of numbers is within that of another run file. It was merged into that file
    // just before a crash.
    let runs = found.filter { run in
      !found.contains { $0 != run && $0.lowerBound <= run.lowerBound && $0.upperBound >= run.upperBound }
    }.sorted { $0.lowerBound < $1.lowerBound }
    for run in runs {
      guard let file = try folder.openExisting("index-\(run.lowerBound)-\(run.upperBound)") else { continue }
      try readRun(file, body)
    }
    let sorted = runs.last?.upperBound ?? 0
    let ledgers = names.compactMap(ledgerNumber).filter { $0 > sorted }.sorted()
    guard !ledgers.isEmpty || runs.isEmpty else { throw DamagedIndexError() }
    var contents = Contents()
    for ledger in ledgers {
      guard let file = try folder.openExisting("ledger-\(ledger)") else { continue }
      try readLedger(file, into: &contents, body)
    }
    return contents
  }

  /// Deletes the files of the earlier index.
  static func remove(from folder: Folder) throws {
    let names = try folder.names().filter { name in
      let name = name.hasSuffix(".new") ? String(name.dropLast(4)) : name
      return runRange(name) != nil || ledgerNumber(name) != nil
    }
    guard !names.isEmpty else { return }
    for name in names { try folder.remove(name) }
    try folder.sync()
  }

  private static func ledgerNumber(_ name: String) -> UInt64? {
    name.wholeMatch(of: #/ledger-([0-9]+)/#).flatMap { UInt64($0.1) }
  }

  private static func runRange(_ name: String) -> ClosedRange<UInt64>? {
    guard let match = name.wholeMatch(of: #/index-([0-9]+)-([0-9]+)/#), let first = UInt64(match.1),
      let last = UInt64(match.2), first <= last
    else { return nil }
    return first...last
  }

  // MARK: - Runs

  /// Size of an entry in bytes: a UUID and a state.
  private static let entrySize = 17

  private static func readRun(
    _ file: OpenFile, _ body: (UUID, IndexEntry.State) throws -> Void
  ) throws {
    let size = try file.size()
    guard size.isMultiple(of: entrySize) else { throw DamagedIndexError() }
    var last: Data?
    for offset in stride(from: 0, to: size, by: entrySize * 4096) {
      let bytes = try file.read(at: offset, count: min(entrySize * 4096, size - offset))
      for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: entrySize) {
        guard start + entrySize <= bytes.endIndex else { throw DamagedIndexError() }
        let entry = bytes[start..<start + entrySize]
        let uuid = entry.prefix(16)
        if let last, !last.lexicographicallyPrecedes(uuid) { throw DamagedIndexError() }
        last = uuid
        try read(entry, body)
      }
    }
  }

  private static func read(
    _ entry: Data, _ body: (UUID, IndexEntry.State) throws -> Void
  ) throws {
    guard let state = entry.last.flatMap(IndexEntry.State.init) else { throw DamagedIndexError() }
    try body(uuid(entry), state)
  }

  private static func uuid(_ bytes: Data) -> UUID {
    UUID(uuid: bytes.prefix(16).withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
  }

  // MARK: - Ledgers

  /// The first bytes of a record in a ledger. They are followed by a digit for the version of the layout.
  /// Version 1 has no marker.
  private static let recordName = Data("HRLDGR0".utf8)
  /// Number of bytes before the entries of a record, by version of the layout.
  private static let headSizes: [UInt8: Int] = [UInt8(ascii: "1"): 48, UInt8(ascii: "2"): 72]
  private static let longestHead = 72

  private struct Record {
    let head: Data
    let entries: Data
    let size: Int
  }

  private static func readLedger(
    _ file: OpenFile, into contents: inout Contents, _ body: (UUID, IndexEntry.State) throws -> Void
  ) throws {
    let end = try file.size()
    var offset = 0
    while offset < end {
      guard let record = try record(of: file, at: offset, before: end) else {
        // A crash can only leave the last record incomplete. If another record follows, the file is damaged.
        if try hasRecord(file, between: offset + 1, and: end) { throw DamagedIndexError() }
        return
      }
      let (head, entries) = (record.head, record.entries)
      for start in stride(from: entries.startIndex, to: entries.endIndex, by: entrySize) {
        try read(entries[start..<start + entrySize], body)
      }
      contents.segment = SegmentPosition(
        number: number(in: head, at: 8), samples: Int(clamping: number(in: head, at: 16)),
        deletions: Int(clamping: number(in: head, at: 24)))
      let id = head.count == longestHead ? uuid(head.dropFirst(40)) : nil
      if let id, id != UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) {
        contents.marks.append(.init(id: id, sequence: Int64(clamping: number(in: head, at: 56))))
      }
      offset += record.size
    }
  }

  /// Returns the record at an offset, or `nil` if it is not complete.
  private static func record(of file: OpenFile, at offset: Int, before end: Int) throws -> Record? {
    let head = try file.read(at: offset, count: min(longestHead, end - offset))
    guard head.count > recordName.count, head.prefix(recordName.count) == recordName,
      let length = headSizes[head[head.startIndex + recordName.count]], head.count >= length,
      indexChecksum(head.prefix(length - 8)) == number(in: head, at: length - 8)
    else { return nil }
    let count = Int(clamping: number(in: head, at: 32))
    guard count <= (end - offset) / entrySize else { return nil }
    let size = length + count * entrySize + 8
    guard offset + size <= end else { return nil }
    let bytes = try file.read(at: offset, count: size)
    guard bytes.count == size, indexChecksum(bytes.dropLast(8)) == number(in: bytes, at: size - 8) else {
      return nil
    }
    return Record(head: bytes.prefix(length), entries: bytes.dropFirst(length).dropLast(8), size: size)
  }

  private static func hasRecord(_ file: OpenFile, between first: Int, and end: Int) throws -> Bool {
    guard first < end else { return false }
    let bytes = try file.read(at: first, count: end - first)
    var from = bytes.startIndex
    while let found = bytes.range(of: recordName, in: from..<bytes.endIndex) {
      let offset = first + bytes.distance(from: bytes.startIndex, to: found.lowerBound)
      if try record(of: file, at: offset, before: end) != nil { return true }
      from = found.lowerBound + 1
    }
    return false
  }

  private static func number(in bytes: Data, at offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self) })
  }
}
