import CEncryptedFiles
import Foundation
import Testing

@testable import HealthStorage
@testable import TestSupport

/// The sealed inbox: what was written is read, and every kind of damage is found. Needs no keyring.
@Suite(.timeLimit(.minutes(30))) struct SealedInboxTests {
  /// An inbox with its store's keys.
  private struct Fixture {
    let folder: TemporaryFolder
    let keys: KeyFile
    let dataKey: SecretBytes
    var path: String { folder.path("s.sqlite-inbox") }

    init() throws {
      folder = try TemporaryFolder()
      (keys, dataKey) = try KeyFile.create()
    }

    func writer(setAside: (String, String) -> Void = { _, _ in }) throws -> InboxWriter {
      try InboxWriter(
        at: path, of: keys.store, sealedFor: keys.publicKey, for: nil, setAside: setAside)
    }

    func append(_ bodies: [[UInt8]]) throws {
      var writer = try writer()
      for body in bodies { _ = try writer.append(body) }
    }

    var bytes: [UInt8] { Array(FileManager.default.contents(atPath: path) ?? Data()) }

    func set(_ bytes: some Sequence<UInt8>) throws { try Data(bytes).write(to: URL(filePath: path)) }

    /// Returns the entries by number, the numbers of missing entries, and the findings.
    func read() throws -> (entries: [UInt64: [UInt8]], missing: [UInt64], findings: [InboxFinding]) {
      let file = try #require(try InboxFile(at: path))
      var reader = try InboxReader(file, of: keys.store, dataKey)
      var entries: [UInt64: [UInt8]] = [:]
      var missing: [UInt64] = []
      var last: UInt64 = 0
      while let element = try reader.next() {
        switch element {
        case .entry(let number, let body):
          #expect(number > last)
          entries[number] = body
          last = number
        case .missing(let range):
          #expect(range.lowerBound > last)
          missing += range
          last = range.upperBound
        }
      }
      return (entries, missing, reader.findings)
    }

    func index() throws -> InboxIndex { try InboxIndex(try #require(try InboxFile(at: path))) }
  }

  private static let few: [[UInt8]] = [[1, 2, 3], [], Array(repeating: 7, count: 40), [9], [10, 11]]

  /// The size of the head in bytes, without its padding.
  private static let headEnd = 140

  private static func numbered(_ bodies: [[UInt8]]) -> [UInt64: [UInt8]] {
    Dictionary(uniqueKeysWithValues: bodies.enumerated().map { (UInt64($0 + 1), $1) })
  }

  @Test func `entries are read as they were written, also by several writers`() throws {
    let fixture = try Fixture()
    var generator = SeededGenerator(seed: 1)
    var bodies: [[UInt8]] = []
    for _ in 0..<5 {
      let more = (0..<70).map { _ in
        (0..<Int.random(in: 0...300, using: &generator)).map { _ in
          UInt8.random(in: 0...255, using: &generator)
        }
      }
      try fixture.append(more)
      bodies += more
    }
    let (entries, missing, findings) = try fixture.read()
    #expect(entries == Self.numbered(bodies))
    #expect(missing.isEmpty && findings.isEmpty)
    var status = stat()
    #expect(stat(fixture.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
  }

  @Test func `no two entries have the same key, and bodies are not readable`() throws {
    let fixture = try Fixture()
    let body = Array("AA:BB:CC:DD:EE:FF Polar H10 12345678".utf8)
    try fixture.append(Array(repeating: body, count: 200))
    let bytes = fixture.bytes
    #expect(!bytes.containsBytes("Polar") && !bytes.containsBytes("AA:BB"))
    let index = try fixture.index()
    let sealed = Set(
      index.entries.map { entry in
        Array(bytes[Int(entry.offset) + InboxFormat.headerLength..<Int(entry.end)])
      })
    #expect(sealed.count == 200)
    #expect(Set(index.entries.map(\.header.ephemeral)).count == 4)
    #expect(entropy(sealed.joined()) > 7.9)
  }

  @Test func `a file that is cut at any byte loses only what was cut off, and says so`() throws {
    let fixture = try Fixture()
    try fixture.append(Self.few)
    let whole = fixture.bytes
    let ends = try fixture.index().entries.map { Int($0.end) }
    for count in 0..<whole.count {
      try fixture.set(whole.prefix(count))
      let left = ends.count { $0 <= count }
      guard count >= Self.headEnd else {
        #expect(throws: StorageError.self) { try fixture.read() }
        continue
      }
      let (entries, missing, _) = try fixture.read()
      #expect(entries == Self.numbered(Array(Self.few.prefix(left))), "cut at \(count)")
      #expect(missing == Array(UInt64(left + 1)...5), "cut at \(count)")
      // A gateway can append to the cut inbox, and the lost entries are still reported as missing.
      try fixture.append([[42]])
      let later = try fixture.read()
      #expect(later.entries[6] == [42] && later.entries.count == left + 1, "cut at \(count)")
      #expect(later.missing == missing, "cut at \(count)")
    }
  }

  @Test func `a bit that is flipped anywhere costs one entry at most, and is found`() throws {
    let fixture = try Fixture()
    try fixture.append(Self.few)
    let whole = fixture.bytes
    let index = try fixture.index()
    var generator = SeededGenerator(seed: 2)
    for position in 0..<whole.count where position < Self.headEnd || position >= InboxFormat.headLength {
      var bytes = whole
      bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      try fixture.set(bytes)
      guard position >= InboxFormat.headLength else {
        guard !(16..<20).contains(position) else {
          // The changed byte is in the version number, so the inbox is not read.
          #expect(throws: StorageError.self) { try fixture.read() }
          continue
        }
        let (entries, missing, findings) = try fixture.read()
        #expect(entries == Self.numbered(Self.few) && missing.isEmpty, "flipped at \(position)")
        #expect(findings == [.damagedHead])
        continue
      }
      let number = UInt64(try #require(index.entries.firstIndex { UInt64(position) < $0.end }) + 1)
      let (entries, missing, findings) = try fixture.read()
      var expected = Self.numbered(Self.few)
      expected[number] = nil
      #expect(entries == expected, "flipped at \(position)")
      #expect(missing == [number], "flipped at \(position)")
      #expect(findings.contains(.missing(number...number)), "flipped at \(position)")
    }
  }

  @Test func `removed, swapped and repeated entries are found`() throws {
    let fixture = try Fixture()
    try fixture.append(Self.few)
    let whole = fixture.bytes
    let head = Array(whole.prefix(InboxFormat.headLength))
    let parts = try fixture.index().entries.map { Array(whole[Int($0.offset)..<Int($0.end)]) }
    let all = Self.numbered(Self.few)
    for removed in parts.indices {
      var left = parts
      left.remove(at: removed)
      try fixture.set(head + left.joined())
      let (entries, missing, _) = try fixture.read()
      #expect(missing == [UInt64(removed + 1)] && entries.count == 4)
      for other in parts.indices where other != removed {
        var swapped = parts
        swapped.swapAt(removed, other)
        try fixture.set(head + swapped.joined())
        let found = try fixture.read()
        #expect(found.entries == all && found.missing.isEmpty)
        #expect(
          !found.findings.isEmpty && found.findings.allSatisfy { if case .moved = $0 { true } else { false } }
        )
        var replayed = parts
        replayed.insert(parts[removed], at: other)
        try fixture.set(head + replayed.joined())
        let repeated = try fixture.read()
        #expect(repeated.entries == all && repeated.missing.isEmpty)
        #expect(repeated.findings.contains(.repeated(UInt64(removed + 1))))
        var replaced = parts
        replaced[other] = parts[removed]
        try fixture.set(head + replaced.joined())
        #expect(try fixture.read().missing == [UInt64(other + 1)])
      }
    }
  }

  /// Bytes that begin like an entry and contain others, with a body that cannot be opened.
  private func wrapped(_ bytes: [UInt8], as number: UInt64, of inbox: [UInt8]) -> [UInt8] {
    let digest = [UInt8](repeating: 9, count: InboxFormat.digestLength)
    let header = InboxHeader(
      length: bytes.count, run: 1, sequence: number, inbox: inbox, previous: digest, ephemeral: digest)
    return header.encoded + bytes + [UInt8](repeating: 9, count: InboxFormat.tagLength)
  }

  @Test func `entries within damaged ones are read once and in order, however deep they are`() throws {
    let fixture = try Fixture()
    try fixture.append(Self.few)
    let whole = fixture.bytes
    let head = Array(whole.prefix(InboxFormat.headLength))
    let inbox = try InboxHead(head).inbox
    let parts = try fixture.index().entries.map { Array(whole[Int($0.offset)..<Int($0.end)]) }
    // Repetitions of entries that were read before the damaged one.
    try fixture.set(head + parts.joined() + wrapped(Array(parts[0...2].joined()), as: 6, of: inbox))
    var found = try fixture.read()
    #expect(found.entries == Self.numbered(Self.few) && found.missing.isEmpty)
    for number in 1...3 { #expect(found.findings.contains(.repeated(UInt64(number)))) }
    // An entry that is found only after later ones were read.
    let late = parts[0] + wrapped(parts[1], as: 4, of: inbox) + parts[2...].joined()
    try fixture.set(head + late)
    found = try fixture.read()
    #expect(found.entries.count == 4 && found.missing == [2])
    // Without a record of what was found, each of them would be opened once for each set of those around it.
    var nested = Array(parts[2...].joined())
    for number in 3...14 { nested = wrapped(nested, as: UInt64(number), of: inbox) }
    try fixture.set(head + parts[0] + parts[1] + nested)
    found = try fixture.read()
    #expect(found.entries == Self.numbered(Self.few) && found.missing.isEmpty)
    #expect(!found.findings.contains { if case .repeated = $0 { true } else { false } })
  }

  @Test func `an entry of an earlier inbox, and a forged one, are found`() throws {
    let fixture = try Fixture()
    try fixture.append(Self.few)
    let old = fixture.bytes
    let oldEntries = try fixture.index().entries
    unlink(fixture.path)
    try fixture.append([[1], [2], [3]])
    let new = fixture.bytes
    let entries = try fixture.index().entries
    // Replace the second entry by the second entry of the earlier inbox.
    var bytes = Array(new.prefix(Int(entries[1].offset)))
    bytes += old[Int(oldEntries[1].offset)..<Int(oldEntries[1].end)]
    bytes += new[Int(entries[2].offset)...]
    try fixture.set(bytes)
    var found = try fixture.read()
    #expect(found.entries == [1: [1], 3: [3]] && found.missing == [2])
    #expect(found.findings.contains(.ofAnotherInbox(2)))
    // An attacker with the public key cuts off the last two entries and writes another second one. The third
    // entry reveals that.
    try fixture.set(new.prefix(Int(entries[1].offset)))
    var head = try InboxHead(Array(new.prefix(InboxFormat.headLength)))
    (head.lastSequence, head.end, head.digest) = (1, entries[0].end, entries[0].digest)
    try fixture.set(try head.encoded + new[InboxFormat.headLength..<Int(entries[0].end)])
    try fixture.append([[66]])
    let forged = fixture.bytes
    try fixture.set(forged + new[Int(entries[2].offset)...])
    found = try fixture.read()
    #expect(found.entries == [1: [1], 3: [3]] && found.missing == [2])
  }

  @Test func `an interrupted write is cut off, and its number is used again`() throws {
    let fixture = try Fixture()
    try fixture.append([[1], [2]])
    let before = fixture.bytes
    try fixture.append([[3]])
    let after = fixture.bytes
    for count in before.count..<after.count {
      // The head is written after the entry, so an incomplete entry does not count as missing.
      try fixture.set(before + after[before.count..<count])
      #expect(try fixture.read().missing.isEmpty)
      try fixture.append([[4]])
      let (entries, missing, findings) = try fixture.read()
      #expect(entries == [1: [1], 2: [2], 3: [4]] && missing.isEmpty && findings.isEmpty)
    }
    // If the machine stops after the entry was written and before the head, the entry counts.
    try fixture.set(before + after[before.count...])
    try fixture.append([[4]])
    #expect(try fixture.read().entries == [1: [1], 2: [2], 3: [3], 4: [4]])
  }

  /// The head is written without waiting for the disk. After a power failure it may be that of an earlier
  /// entry.
  @Test(arguments: [1, 64, 128] as [UInt8])
  func `an old head and a damaged entry cost only that entry`(_ bits: UInt8) throws {
    let fixture = try Fixture()
    try fixture.append([[1], [2]])
    let old = fixture.bytes.prefix(InboxFormat.headLength)
    try fixture.append([[3], [4], [5], [6]])
    let whole = old + fixture.bytes.dropFirst(InboxFormat.headLength)
    let damaged = try fixture.index().entries[3]
    for place in damaged.offset..<damaged.end {
      var bytes = Array(whole)
      bytes[Int(place)] ^= bits
      try fixture.set(bytes)
      try fixture.append([[7]])
      let (entries, missing, _) = try fixture.read()
      #expect(entries == [1: [1], 2: [2], 3: [3], 5: [5], 6: [6], 7: [7]] && missing == [4], "\(place)")
    }
  }

  /// Any program with the public key can append a valid entry.
  @Test func `an entry with an impossible number is not read`() throws {
    let fixture = try Fixture()
    try fixture.append([[1]])
    let head = try InboxHead(Array(fixture.bytes.prefix(InboxFormat.headLength)))
    var far = head
    far.lastSequence = InboxFormat.lastSequence - 1
    for number in [0, InboxFormat.lastSequence, .max] as [UInt64] {
      let header = InboxHeader(
        length: 0, run: 1, sequence: number, inbox: head.inbox, previous: head.digest,
        ephemeral: [UInt8](repeating: 9, count: 32))
      #expect(InboxHeader(header.encoded) == nil)
    }
    // The highest possible number: nearly all entries are missing.
    try fixture.set(try far.encoded + fixture.bytes.dropFirst(InboxFormat.headLength))
    let file = try #require(try InboxFile(at: fixture.path))
    var reader = try InboxReader(file, of: fixture.keys.store, fixture.dataKey)
    #expect(try reader.next() == .entry(1, [1]))
    #expect(try reader.next() == .missing(2...InboxFormat.lastSequence - 1))
    #expect(reader.findings.map(\.description).count == 1)
  }

  @Test func `an inbox of another store or version is kept under another name`() throws {
    let fixture = try Fixture()
    let other = try Fixture()
    try other.append(Self.few)
    let foreign = other.bytes
    var newer = foreign
    newer[16] = 2
    var random = SeededGenerator(seed: 3)
    let junk = (0..<1000).map { _ in UInt8.random(in: 0...255, using: &random) }
    for (number, bytes) in [foreign, newer, junk].enumerated() {
      unlink(fixture.path)
      try fixture.set(bytes)
      #expect(throws: StorageError.self) { try fixture.read() }
      var kept: [String] = []
      var writer = try fixture.writer { kept.append($1) }
      _ = try writer.append([1])
      #expect(try fixture.read().entries == [1: [1]])
      #expect(kept == [fixture.path + "-unreadable" + (number > 0 ? "-\(number + 1)" : "")])
      #expect(kept.first.flatMap { FileManager.default.contents(atPath: $0) } == Data(bytes))
    }
  }

  /// Any program that can write to the file can make a head with a valid digest.
  @Test func `a head with an impossible number or offset is replaced by that of the entries`() throws {
    let fixture = try Fixture()
    try fixture.append([[1], [2]])
    let whole = fixture.bytes
    let head = try InboxHead(Array(whole.prefix(InboxFormat.headLength)))
    let forgeries: [(last: UInt64, end: UInt64)] = [
      (.max, head.end), (.max - 1, head.end), (InboxFormat.lastSequence, head.end), (2, 0), (2, 12),
      (2, .max),
    ]
    for (last, end) in forgeries {
      var forged = head
      (forged.lastSequence, forged.end) = (last, end)
      try fixture.set(try forged.encoded + whole[InboxFormat.headLength...])
      #expect(try fixture.read().findings == [.damagedHead])
      try fixture.append([[3]])
      let (entries, missing, findings) = try fixture.read()
      #expect(entries == [1: [1], 2: [2], 3: [3]] && missing.isEmpty && findings.isEmpty)
    }
  }

  @Test func `random bytes in an inbox never crash the reader`() throws {
    let fixture = try Fixture()
    try fixture.append(Self.few)
    let whole = fixture.bytes
    var generator = SeededGenerator(seed: 4)
    for _ in 0..<500 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...30, using: &generator) {
        let position = Int.random(in: 0..<bytes.count, using: &generator)
        bytes[position] = UInt8.random(in: 0...255, using: &generator)
      }
      if Bool.random(using: &generator) {
        bytes.insert(
          contentsOf: InboxFormat.entryMagic, at: Int.random(in: 0..<bytes.count, using: &generator))
      }
      try fixture.set(bytes)
      guard let found = try? fixture.read() else { continue }
      for (number, body) in found.entries { #expect(Self.few[Int(number) - 1] == body) }
    }
  }
}
