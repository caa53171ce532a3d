import Foundation
import Testing

@testable import SyncFiles
@testable import TestSupport

/// The index against a dictionary.
@Suite(.timeLimit(.minutes(30))) struct CarriedIndexTests {
  @Test(arguments: 0..<6)
  func `it knows the last of each UUID, however it is sorted, merged and opened again`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let temporary = try TemporaryFolder()
    let folder = try Folder(temporary.url.path, mayMake: false)
    let uuids = (0..<900).map { _ in UUID.random(using: &random) }
    var model: [UUID: CarriedEntry.State] = [:]
    var index = try CarriedIndex(folder, ledgerLimit: 32)
    for round in 1...120 {
      let entries = (0..<Int.random(in: 0...20, using: &random)).map { _ in
        CarriedEntry(
          uuids[Int.random(in: 0..<700, using: &random)], Bool.random(using: &random) ? .added : .deleted)
      }
      try index.commit(Ledger.Segment(number: UInt64(round), samples: round, deletions: 2), entries)
      for entry in entries { model[entry.uuid] = entry.state }
      if Int.random(in: 0..<4, using: &random) == 0 {
        index = try CarriedIndex(folder, ledgerLimit: 32)
        #expect(index.segment == Ledger.Segment(number: UInt64(round), samples: round, deletions: 2))
      }
    }
    for uuid in uuids { #expect(try index.state(of: uuid) == model[uuid]) }
    let runs = try folder.names().filter { $0.hasPrefix("index") }
    #expect(!runs.isEmpty && runs.count < 8)
  }

  @Test func `what a crash leaves of sorting and merging is cleared away`() throws {
    let temporary = try TemporaryFolder()
    let folder = try Folder(temporary.url.path, mayMake: false)
    let uuids = (0..<40).map { _ in UUID() }
    var index = try CarriedIndex(folder, ledgerLimit: 16)
    for uuid in uuids.prefix(15) { try index.commit(Ledger.Segment(), [CarriedEntry(uuid, .added)]) }
    let old = try Data(contentsOf: temporary.url.appending(path: "ledger-1"))
    for uuid in uuids.dropFirst(15) { try index.commit(Ledger.Segment(), [CarriedEntry(uuid, .added)]) }
    // An old ledger that was sorted, a run that was merged, files that were not finished.
    try old.write(to: temporary.url.appending(path: "ledger-1"))
    try Data(count: 0).write(to: temporary.url.appending(path: "index-1-1"))
    try Data("half".utf8).write(to: temporary.url.appending(path: "index-2-9.new"))
    index = try CarriedIndex(folder, ledgerLimit: 16)
    for uuid in uuids { #expect(try index.state(of: uuid) == .added) }
    #expect(try folder.names().filter { $0.hasSuffix(".new") || $0 == "ledger-1" } == [])
  }

  @Test func `killed between a new ledger and the sorting of the old one`() throws {
    let temporary = try TemporaryFolder()
    let folder = try Folder(temporary.url.path, mayMake: false)
    let uuids = (0..<9).map { _ in UUID() }
    var index = try CarriedIndex(folder, ledgerLimit: 100)
    for uuid in uuids.prefix(8) { try index.commit(Ledger.Segment(number: 3), [CarriedEntry(uuid, .added)]) }
    var next = Ledger(try folder.open("ledger-2"))
    try next.append(Ledger.Segment(number: 3), [], nil)
    // Small enough that the next entry has both sorted.
    index = try CarriedIndex(folder, ledgerLimit: 9)
    #expect(index.segment.number == 3)
    try index.commit(Ledger.Segment(number: 4), [CarriedEntry(uuids[8], .deleted)])
    #expect(try folder.names() == ["index-1-2", "ledger-3"])
    index = try CarriedIndex(folder, ledgerLimit: 9)
    #expect(index.segment.number == 4)
    for uuid in uuids.prefix(8) { #expect(try index.state(of: uuid) == .added) }
    #expect(try index.state(of: uuids[8]) == .deleted)
  }
}

extension UUID {
  fileprivate static func random(using random: inout SeededGenerator) -> UUID {
    var bytes = (UInt64.random(in: 0...(.max), using: &random), UInt64.random(in: 0...(.max), using: &random))
    return withUnsafeBytes(of: &bytes) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  @Test func `a ledger of the first layout is read on`() throws {
    let temporary = try TemporaryFolder()
    let uuids = (0..<3).map { _ in UUID() }
    var record = Data("HRLDGR01".utf8)
    for number in [7, 100, 20, UInt64(uuids.count)] { record.append(number) }
    record.append(checksum(record))
    for uuid in uuids { CarriedEntry(uuid, .added).append(to: &record) }
    record.append(checksum(record))
    try record.write(to: URL(filePath: temporary.path("ledger-1")))
    let folder = try Folder(temporary.url.path, mayMake: false)
    var index = try CarriedIndex(folder, ledgerLimit: 32)
    #expect(index.segment == Ledger.Segment(number: 7, samples: 100, deletions: 20))
    for uuid in uuids { #expect(try index.state(of: uuid) == .added) }
    let marker = UUID()
    #expect(index.sequence(of: marker) == nil)
    try index.commit(index.segment, [CarriedEntry(uuids[0], .deleted)], Ledger.Mark(id: marker, sequence: 4))
    index = try CarriedIndex(folder, ledgerLimit: 32)
    #expect(try index.sequence(of: marker) == 4 && index.state(of: uuids[0]) == .deleted)
    #expect(try index.state(of: uuids[1]) == .added)
  }
}
