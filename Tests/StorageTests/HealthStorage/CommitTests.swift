import Foundation
import HealthStorage
import Testing

@testable import class HealthStorage.WriteAheadLogWatch
@testable import struct HealthStorage.WriteEchoes

@Suite(.timeLimit(.minutes(30))) struct CommitTests {
  @Test func aTickFollowsEachCommitOfThisProcess() async throws {
    let database = try SampleDatabase.inMemory()
    var ticks = database.commits().makeAsyncIterator()
    _ = try await database.save([record(1, at: 1)])
    #expect(await ticks.next() != nil)
  }

  @Test func `every subscriber has its own ticks`() async throws {
    let database = try SampleDatabase.inMemory()
    var one = database.commits().makeAsyncIterator()
    var other = database.commits().makeAsyncIterator()
    _ = try await database.save([record(1, at: 1)])
    #expect(await one.next() != nil)
    #expect(await other.next() != nil)
  }

  @Test(arguments: [false, true])
  func `a tick follows a write of another connection`(withoutTheKernel: Bool) async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/s.sqlite"
      let database = try SampleDatabase.open(at: path)
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
      let watch = WriteAheadLogWatch(
        ofDatabaseAt: path, asksTheKernel: !withoutTheKernel, mayBeLate: false
      ) { continuation.yield() }
      _ = try await database.save([record(1, at: 1)])
      var ticks = stream.makeAsyncIterator()
      // The watch schedules several ticks after a write. One of them comes after the commit.
      while await ticks.next() != nil {
        if try await database.lastChange() == 1 { break }
      }
      watch.cancel()
    }
  }

  @Test func `a write is followed by ticks for nearly three minutes`() {
    var echoes = WriteEchoes()
    #expect(echoes.written() == .milliseconds(10))
    // The watch ticks for minutes after a write, because the commit may come much later and is not reported
    // in another way.
    let distances = Array(sequence(state: echoes) { $0.ticked() })
    #expect(distances.count == 13)
    #expect(distances.reduce(.milliseconds(10), +) == .milliseconds(163_830))
    #expect(zip(distances, distances.dropFirst()).allSatisfy { $1 == $0 * 2 })
  }

  @Test func `a low-priority subscriber gets its first tick a second after the write`() {
    var echoes = WriteEchoes(.low)
    #expect(echoes.written() == .seconds(1))
    #expect(echoes.written() == nil)
    #expect(Array(sequence(state: echoes) { $0.ticked() }) == [2, 4, 8, 16, 32, 64].map(Duration.seconds))
  }

  @Test func `subscribers of both priorities get ticks while others come and go`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/s.sqlite"
      let (database, other) = (try SampleDatabase.open(at: path), try SampleDatabase.open(at: path))
      var calm = database.commits(.low).makeAsyncIterator()
      var last: Int64 = 0
      /// Saves a sample in the other program, and waits for a tick of the watch after which the sample is
      /// visible.
      func hears(_ ticks: inout AsyncStream<Void>.AsyncIterator) async throws -> Bool {
        last += 1
        _ = try await other.save([record(60, at: last)])
        while await ticks.next() != nil {
          if try await database.lastChange() == last { return true }
        }
        return false
      }
      #expect(try await hears(&calm))
      do {
        var prompt = database.commits().makeAsyncIterator()
        #expect(try await hears(&prompt))
        #expect(try await hears(&calm))
      }
      #expect(try await hears(&calm))
    }
  }

  @Test func `a write restarts the ticks but never postpones the first one`() {
    var echoes = WriteEchoes()
    _ = echoes.written()
    #expect(echoes.written() == nil)
    for _ in 0..<5 { _ = echoes.ticked() }
    #expect(echoes.written() == .milliseconds(10))
    #expect(echoes.ticked() == .milliseconds(20))
  }

  @Test func oneWriteIsFollowedBySeveralTicks() async throws {
    try await withTemporaryDirectory { directory in
      let log = directory + "/s.sqlite-wal"
      #expect(FileManager.default.createFile(atPath: log, contents: nil))
      let file = try #require(FileHandle(forWritingAtPath: log))
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
      let watch = WriteAheadLogWatch(ofDatabaseAt: directory + "/s.sqlite", mayBeLate: false) {
        continuation.yield()
      }
      try file.write(contentsOf: Data([0]))
      var ticks = stream.makeAsyncIterator()
      for _ in 0..<4 { #expect(await ticks.next() != nil) }
      watch.cancel()
      try file.close()
    }
  }

  @Test func `a watch finds a commit that was in progress at its start`() async throws {
    try await withTemporaryDirectory { directory in
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
      // A commit may have been in progress at the start, so ticks follow although nothing is written from now
      // on.
      let watch = WriteAheadLogWatch(ofDatabaseAt: directory + "/s.sqlite") { continuation.yield() }
      var ticks = stream.makeAsyncIterator()
      for _ in 0..<4 { #expect(await ticks.next() != nil) }
      watch.cancel()
    }
  }

  @Test func ticksEndWithTheTask() async throws {
    let database = try SampleDatabase.inMemory()
    let task = Task { for await _ in database.commits() {} }
    task.cancel()
    await task.value
  }

  @Test func `changed types are those with a matching sample`() async throws {
    let database = try SampleDatabase.inMemory()
    _ = try await database.save((0..<10).map { record(Double($0), at: Int64($0)) })
    let before = try await database.lastChange()
    #expect(try await database.changedTypes([("t", .everything)], after: before).types == [])
    _ = try await database.save([record(1, at: 100, type: "u")])
    let changed = try await database.changedTypes(
      [("t", .everything), ("u", .startsBefore(50)), ("v", .everything)], after: before)
    #expect(changed.types == [])
    #expect(changed.position == 11)
    #expect(try await database.changedTypes([("u", .startsFrom(50))], after: before).types == ["u"])
  }
}
