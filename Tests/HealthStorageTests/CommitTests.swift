import Foundation
import HealthStorage
import Testing

@testable import class HealthStorage.WriteAheadLogWatch

@Suite(.timeLimit(.minutes(10))) struct CommitTests {
  @Test func aTickFollowsEachCommitOfThisProcess() async throws {
    let database = try SampleDatabase.inMemory()
    var ticks = database.commits().makeAsyncIterator()
    _ = try await database.save([record(1, at: 1)])
    #expect(await ticks.next() != nil)
  }

  @Test func everyListenerHasTicksOfItsOwn() async throws {
    let database = try SampleDatabase.inMemory()
    var one = database.commits().makeAsyncIterator()
    var other = database.commits().makeAsyncIterator()
    _ = try await database.save([record(1, at: 1)])
    #expect(await one.next() != nil)
    #expect(await other.next() != nil)
  }

  @Test(arguments: [false, true])
  func aTickComesAfterAWriteOfAnother(withoutTheKernel: Bool) async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/s.sqlite"
      let database = try SampleDatabase.open(at: path)
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
      let watch = WriteAheadLogWatch(ofDatabaseAt: path, asksTheKernel: !withoutTheKernel) {
        continuation.yield()
      }
      _ = try await database.save([record(1, at: 1)])
      var ticks = stream.makeAsyncIterator()
      // The commit is seen at one of the echoes.
      while await ticks.next() != nil {
        if try await database.lastChange() == 1 { break }
      }
      watch.cancel()
    }
  }

  @Test func ticksEndWithTheTask() async throws {
    let database = try SampleDatabase.inMemory()
    let task = Task { for await _ in database.commits() {} }
    task.cancel()
    await task.value
  }

  @Test func changedTypesAreThoseOfWhichASampleMatches() async throws {
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
