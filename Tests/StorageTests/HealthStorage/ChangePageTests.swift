import Foundation
import GRDB
import Testing

@testable import HealthStorage

/// Tests pages of changes, which are limited by count and by bytes.
@Suite struct ChangePageTests {
  private func pages(
    _ database: SampleDatabase, matching filter: SampleFilter = .everything, _ limit: ChangePageLimit
  ) async throws -> [ChangeLogPage<SampleRecord>] {
    var pages: [ChangeLogPage<SampleRecord>] = []
    repeat {
      pages.append(try await database.changePage("t", filter, after: pages.last?.end, limit))
    } while pages.last?.isLast == false && pages.count < 100
    return pages
  }

  @Test(arguments: 1...9) func `pages of any size contain every change once, in order`(count: Int)
    async throws
  {
    let database = try SampleDatabase.inMemory()
    let samples = (0..<6).map { record(Double($0), at: Int64(10 - $0)) }
    try await database.save(samples)
    try await database.save([record(1, at: 1, type: "u")])
    try await database.delete([samples[1].uuid, samples[4].uuid], savedBy: "s")
    try await database.save([record(7, at: 7)])
    let pages = try await pages(database, ChangePageLimit(count: count, bytes: 1 << 20))
    let added = pages.flatMap(\.added)
    #expect(added.map(\.value) == [0, 2, 3, 5, 7])
    #expect(pages.flatMap(\.deleted).map(\.uuid) == [samples[1].uuid, samples[4].uuid])
    #expect(pages.allSatisfy { $0.added.count + $0.deleted.count <= count && !$0.restarts })
    #expect(pages.dropLast().allSatisfy { $0.added.count + $0.deleted.count == count })
    // After each page, the count matches the number of remaining changes.
    var place: ChangeLogCursor?
    var left = 7
    for page in pages {
      #expect(try await database.changeCount("t", .everything, after: place) == left)
      #expect(try await database.hasChange("t", .everything, after: place) == (left > 0))
      left -= page.added.count + page.deleted.count
      place = page.end
    }
    #expect(left == 0)
    #expect(try await database.changeCount("t", .everything, after: place) == 0)
    #expect(try await !database.hasChange("t", .everything, after: place))
    // The pages have the samples in the order in which an anchored query reports them.
    let whole = try await database.changes([("t", .everything)], after: 0, of: nil, limit: nil)
    #expect(whole.added == added && pages.last?.end.position == whole.position)
    #expect(pages.last?.end.mark == whole.store)
    // The deletion is the only change after this position.
    let last = try #require(added.last)
    try await database.delete([last.uuid], savedBy: "s")
    #expect(try await database.hasChange("t", .everything, after: place))
    #expect(try await !database.hasChange("u", .everything, after: place))
  }

  @Test func `a filter applies to additions, and to deletions as far as they can be matched`() async throws {
    let database = try SampleDatabase.inMemory()
    let samples = (0..<6).map { record(Double($0), at: Int64($0)) }
    try await database.save(samples)
    try await database.delete([samples[0].uuid, samples[4].uuid], savedBy: "s")
    let limit = ChangePageLimit(count: 2, bytes: 1 << 20)
    let later = try await pages(database, matching: .startsFrom(3), limit)
    #expect(later.flatMap(\.added).map(\.value) == [3, 5])
    #expect(later.flatMap(\.deleted).map(\.uuid) == [samples[4].uuid])
    #expect(try await database.changeCount("t", .startsFrom(3), after: nil) == 3)
    for (source, count) in [("s", 6), ("other", 0)] {
      let filter = SampleFilter.all([.sources([source])])
      let pages = try await pages(database, matching: filter, limit)
      #expect(pages.flatMap(\.added).count + pages.flatMap(\.deleted).count == count)
      #expect(try await database.changeCount("t", filter, after: nil) == count)
    }
    // If the start of a deleted sample is unknown, the deletion is reported, because the sample may have been
    // sent.
    try await database.writer.write { try $0.execute(sql: "UPDATE deleted_object SET start = NULL") }
    let unknown = try await pages(database, matching: .startsFrom(3), limit)
    #expect(unknown.flatMap(\.deleted).count == 2)
  }

  @Test func `a page ends when it is large, and contains at least one sample`() async throws {
    let database = try SampleDatabase.inMemory()
    let beats = HeartbeatCodec.encode((0..<1000).map { Heartbeat(offset: Double($0), precededByGap: false) })
    let series = (0..<4).map {
      SampleRecord(
        uuid: UUID(), type: "t", start: Int64($0), end: Int64($0), provenance: provenance(),
        content: .heartbeatSeries(count: 1000, beats: beats))
    }
    try await database.save(series)
    let pages = try await pages(database, ChangePageLimit(count: 100, bytes: 1))
    #expect(pages.map(\.added.count) == [1, 1, 1, 1])
    #expect(pages.flatMap(\.added).allSatisfy { $0.content == .heartbeatSeries(count: 1000, beats: beats) })
    #expect(
      try await self.pages(database, ChangePageLimit(count: 100, bytes: 50_000)).map(\.added.count) == [2, 2])
  }

  @Test func `a damaged row does not block the others`() async throws {
    let database = try SampleDatabase.inMemory()
    let samples = (0..<5).map { record(Double($0), at: Int64($0)) }
    try await database.save(samples)
    try await database.writer.write {
      try $0.execute(sql: "UPDATE sample SET value = NULL WHERE uuid = ?", arguments: [samples[2].uuid])
    }
    let pages = try await pages(database, ChangePageLimit(count: 2, bytes: 1 << 20))
    #expect(pages.flatMap(\.added).map(\.value) == [0, 1, 3, 4])
    #expect(pages.flatMap(\.damaged) == [samples[2].uuid])
  }

  @Test func `a position in another log means the beginning`() async throws {
    let database = try SampleDatabase.inMemory()
    try await database.save((0..<3).map { record(Double($0), at: Int64($0)) })
    let limit = ChangePageLimit(count: 9, bytes: 1 << 20)
    for place in [ChangeLogCursor(position: 2, mark: "other"), ChangeLogCursor(position: 99, mark: "x:y")] {
      let page = try await database.changePage("t", .everything, after: place, limit)
      #expect(page.restarts && page.added.count == 3)
      #expect(try await database.changeCount("t", .everything, after: place) == 3)
    }
  }

  @Test func `samples are found by their UUIDs, and deletions up to a position`() async throws {
    let database = try SampleDatabase.inMemory()
    let samples = (0..<3).map { record(Double($0), at: Int64($0)) }
    try await database.save(samples)
    try await database.delete([samples[0].uuid], savedBy: "s")
    let limit = ChangePageLimit(count: 9, bytes: 1 << 20)
    let end = try await database.changePage("t", .everything, after: nil, limit).end
    try await database.delete([samples[1].uuid], savedBy: "s")
    let page = try await database.changePage(Set(samples.map(\.uuid) + [UUID()]), upTo: end)
    #expect(page.added.map(\.uuid) == [samples[2].uuid])
    // The second deletion is not reported, because it comes after the requested position in the change log.
    #expect(page.deleted.map(\.uuid) == [samples[0].uuid])
  }
}
