import Foundation
import Testing

@testable import ExternalStores
@testable import TestSupport

/// Tests the index of sent samples by comparing it with a dictionary.
@Suite(.timeLimit(.minutes(30))) struct CarriedIndexTests {
  private let temporary: TemporaryFolder
  private let folder: Folder

  init() throws {
    temporary = try TemporaryFolder()
    folder = try Folder(temporary.url.path, mayMake: false)
  }

  @Test(arguments: 0..<6)
  func `the index has the last entry of each UUID, also after it is opened again`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    // The times are before and after 1970, and many are in the same second.
    let samples = (0..<900).map { _ in
      (uuid: UUID.random(using: &random), start: Date(timeIntervalSince1970: .random(in: -5...40)))
    }
    var model: [UUID: IndexEntry.State] = [:]
    var index: WrittenIndex! = try WrittenIndex(folder)
    for round in 1...120 {
      let entries = (0..<Int.random(in: 0...20, using: &random)).map { _ in
        let sample = samples[Int.random(in: 0..<700, using: &random)]
        return Bool.random(using: &random)
          ? IndexEntry.added(sample.uuid, second: IndexEntry.second(of: sample.start))
          : .deleted(sample.uuid)
      }
      let position = SegmentPosition(number: UInt64(round), samples: round, deletions: 2)
      try index.commit(position, entries)
      for entry in entries {
        switch entry {
        case .added(let uuid, _): model[uuid] = .added
        case .deleted(let uuid): model[uuid] = .deleted
        }
      }
      if Int.random(in: 0..<4, using: &random) == 0 {
        index = nil
        index = try WrittenIndex(folder)
        #expect(index.segment == position)
      }
    }
    try index.read { known throws in
      for sample in samples {
        #expect(try known.state(of: sample.uuid, start: sample.start) == model[sample.uuid])
        #expect(try known.isDeleted(sample.uuid) == (model[sample.uuid] == .deleted))
      }
    }
    try index.forget()
    index = nil
    index = try WrittenIndex(folder)
    #expect(index.segment.number == 120)
    #expect(try index.read { try $0.state(of: samples[0].uuid, start: samples[0].start) } == nil)
  }

  @Test func `only the owner can read the files of the index`() throws {
    var index = try WrittenIndex(folder)
    try index.commit(SegmentPosition(), [.deleted(UUID())])
    let names = try folder.names()
    #expect(names == ["index.sqlite", "index.sqlite-wal"])
    for name in names {
      let attributes = try FileManager.default.attributesOfItem(atPath: temporary.path(name))
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
    }
  }

  /// Tests that samples in the order of time are appended to the table. An index with the UUID as its key
  /// would write about one database page for each sample.
  @Test func `samples in the order of time cause few writes`() throws {
    var index = try WrittenIndex(folder)
    var second: Int64 = 1_795_241_340
    func write() throws -> Int {
      let before = try Self.writtenBytes()
      for _ in 0..<40 {
        let entries = (0..<60).map { _ in
          second += 1
          return IndexEntry.added(UUID(), second: second)
        }
        try index.commit(SegmentPosition(), entries)
      }
      return try Self.writtenBytes() - before
    }
    _ = try write()
    try index.commit(
      SegmentPosition(), (0..<50_000).map { .added(UUID(), second: 1_790_000_000 + Int64($0)) })
    // `write` adds 2,400 samples in 40 commits. It may write 500 bytes for each sample, with SQLite's
    // checkpoints.
    #expect(try write() < 2400 * 500)
  }

  /// Returns how many bytes this thread has passed to the kernel. SQLite writes on the calling thread.
  private static func writtenBytes() throws -> Int {
    let text = try String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("wchar: ") })
    return try #require(Int(line.dropFirst(7)))
  }

  @Test func `an index of a later version is not changed`() throws {
    _ = try WrittenIndex(folder)
    try StoreLock.execute("PRAGMA user_version = 2", in: temporary.path("index.sqlite"))
    #expect(throws: DamagedIndexError.self) { _ = try WrittenIndex(folder) }
  }
}

extension UUID {
  fileprivate static func random(using random: inout SeededGenerator) -> UUID {
    var bytes = (UInt64.random(in: 0...(.max), using: &random), UInt64.random(in: 0...(.max), using: &random))
    return withUnsafeBytes(of: &bytes) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}
