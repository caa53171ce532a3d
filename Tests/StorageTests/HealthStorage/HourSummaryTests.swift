import Foundation
import Testing

@testable import HealthStorage

/// Tests that summaries of hours are stored, and deleted when their samples change.
@Suite struct HourSummaryTests {
  private static let hour = HourSummary.length
  private static let second: Int64 = 1_000_000

  private func summary(_ hour: Int64, value: Double = 1) -> HourSummary {
    let start = hour * Self.hour
    let figures = HourSummary.Figures(
      count: 100, first: start, last: start + 99, least: value, greatest: value, weightedSum: value,
      weight: 1, covered: 0, latest: value, latestStart: start + 99, latestEnd: start + 99)
    return HourSummary(start: start, unit: 1, all: figures, bySource: [.init(source: 1, figures: figures)])
  }

  /// Returns a store with a sample of each type and summaries of hours -2 to 5 for both.
  private func storeWithHours() async throws -> SampleDatabase {
    let store = try SampleDatabase.inMemory()
    try await store.save([record(1, at: 1000 * Self.hour), record(1, at: 1000 * Self.hour, type: "other")])
    let position = try await store.lastChange()
    for type in ["t", "other"] {
      try await store.keep((-2...5).map { summary($0) }, ofType: type, readAt: position)
    }
    return store
  }

  private func hours(_ filter: SampleFilter = .type("t"), in store: SampleDatabase) async throws -> [Int64] {
    try await store.foldSummarised(
      filter, type: "t", prepare: { _, _ in [] }, { _, _ in },
      hour: { hours, hour in
        hours.append(hour.start / Self.hour)
        return true
      })
  }

  @Test(
    arguments: [
      (Self.hour / 2, 0, [0]), (Self.hour, 0, [0, 1]), (2 * Self.hour - 1, 0, [1, 2]),
      (Self.hour + 5 * Self.second - 1, 0, [0, 1]), (Self.hour + 5 * Self.second, 0, [1]),
      (2 * Self.hour - 5 * Self.second, 0, [1, 2]), (2 * Self.hour - 5 * Self.second - 1, 0, [1]),
      (Self.hour + 6 * Self.second, 3 * Self.hour, [1, 2, 3, 4]), (-Self.hour / 2, 0, [-1]),
    ] as [(Int64, Int64, [Int64])])
  func `a saved sample deletes the summaries of nearby hours only`(
    start: Int64, duration: Int64, gone: [Int64]
  ) async throws {
    let store = try await storeWithHours()
    let saved = record(1, at: start, lasting: duration)
    try await store.save([saved])
    #expect(try await hours(in: store) == (-2...5).filter { !gone.contains($0) })
    #expect(try await store.keptHours(ofType: "other") == 8)
    // Deleting the sample deletes the same summaries.
    let position = try await store.lastChange()
    try await store.keep((-2...5).map { summary($0) }, ofType: "t", readAt: position)
    #expect(try await hours(in: store).count == 8)
    try await store.delete([saved.uuid], savedBy: "s")
    #expect(try await hours(in: store) == (-2...5).filter { !gone.contains($0) })
  }

  @Test func `a batch deletes the summaries near each of its samples`() async throws {
    let store = try await storeWithHours()
    let minute = 60 * Self.second
    try await store.save([
      record(1, at: 4 * Self.hour + minute), record(1, at: minute), record(1, at: minute, type: "other"),
      record(1, at: 4 * Self.hour + 2 * minute),
    ])
    #expect(try await hours(in: store) == [-2, -1, 1, 2, 3, 5])
    #expect(try await store.keptHours(ofType: "other") == 7)
  }

  @Test func `a rejected batch deletes no summaries`() async throws {
    let store = try await storeWithHours()
    let twice = record(1, at: Self.hour)
    await #expect(throws: StorageError.self) { try await store.save([twice, twice]) }
    #expect(try await hours(in: store).count == 8)
  }

  @Test func `summaries read before a change are not stored near the change`() async throws {
    let store = try await storeWithHours()
    let position = try await store.lastChange()
    try await store.save([record(1, at: 2 * Self.hour)])
    try await store.keep((-2...5).map { summary($0) }, ofType: "t", readAt: position)
    #expect(try await hours(in: store) == [-2, -1, 0, 3, 4, 5])
  }

  @Test func `summaries read before a deletion are not stored`() async throws {
    let store = try await storeWithHours()
    let doomed = record(1, at: 2 * Self.hour)
    try await store.save([doomed])
    let position = try await store.lastChange()
    try await store.delete([doomed.uuid], savedBy: "s")
    try await store.keep((-2...5).map { summary($0) }, ofType: "t", readAt: position)
    #expect(try await hours(in: store) == [-2, -1, 0, 3, 4, 5])
  }

  @Test func `hours are passed between samples, and a rejected hour as its samples`() async throws {
    let store = try SampleDatabase.inMemory()
    let times = [0, 1, 2, 3].map { $0 * Self.hour + Self.hour / 2 }
    try await store.save(times.map { record(Double($0), at: $0) })
    try await store.keep([summary(1), summary(2)], ofType: "t", readAt: store.lastChange())
    let met = try await store.foldSummarised(
      .type("t"), type: "t", prepare: { _, _ in [String]() },
      { met, sample in met.append("sample in \(sample.start / Self.hour)") },
      hour: { met, hour in
        met.append("hour \(hour.start / Self.hour)")
        return hour.start != 2 * Self.hour
      })
    #expect(met == ["sample in 0", "hour 1", "hour 2", "sample in 2", "sample in 3"])
  }

  @Test func `an hour is passed with the figures of the selected source, and skipped if it has none`()
    async throws
  {
    let store = try await storeWithHours()
    var (own, other) = (summary(7), summary(7, value: 3).bySource[0])
    other.source = 2
    own.bySource.append(other)
    own.all.greatest = 3
    var foreign = summary(8)
    foreign.bySource[0].source = 2
    try await store.keep([own, foreign], ofType: "t", readAt: store.lastChange())
    func met(_ filters: [SampleFilter]) async throws -> [String] {
      try await store.foldSummarised(
        .all([.type("t"), .startsFrom(6 * Self.hour)] + filters), type: "t",
        prepare: { _, _ in [String]() }, { met, _ in met.append("sample") },
        hour: { met, hour in
          met.append("\(hour.start / Self.hour) \(hour.all.greatest) \(hour.bySource.count)")
          return true
        })
    }
    #expect(try await met([]) == ["7 3.0 2", "8 1.0 1", "sample"])
    #expect(try await met([.sources(["s"])]) == ["7 1.0 1", "sample"])
    // These are other selections than all samples of one source.
    for filters in [
      [.sources([])], [.sources(["s"]), .sources(["s"])], [.not(.sources(["s"]))],
      [.any([.sources(["s"])])],
    ] as [[SampleFilter]] {
      #expect(try await met(filters).filter { $0 != "sample" } == [])
    }
  }

  @Test func `an hour at the edge of the window is passed as its samples`() async throws {
    let store = try await storeWithHours()
    let reach = HourSummary.reach
    func hours(from lower: SampleFilter, to upper: SampleFilter) async throws -> [Int64] {
      try await self.hours(.all([.type("t"), .all([lower, upper])]), in: store)
    }
    let (from, to) = (Self.hour - reach, 4 * Self.hour + reach)
    #expect(try await hours(from: .endsFrom(from), to: .startsBefore(to)) == [1, 2, 3])
    #expect(try await hours(from: .endsFrom(from + 1), to: .startsBefore(to)) == [2, 3])
    #expect(try await hours(from: .startsFrom(from), to: .startsBefore(to - 1)) == [1, 2])
    // Now the maximum duration of a sample is an hour. So hour 1 may contain samples that start before the
    // window, and its summary is not used.
    try await store.save([record(1, at: 900 * Self.hour, lasting: Self.hour)])
    #expect(try await hours(from: .startsFrom(from), to: .startsBefore(to)) == [2, 3])
    #expect(try await hours(from: .endsFrom(from), to: .endsBefore(to)) == [1, 2])
  }

  @Test(
    arguments: [
      .all([.type("t"), .sources(["s", "other"])]), .any([.type("t"), .type("t")]),
      .all([.type("t"), .type("t")]),
      .all([.type("t"), .not(.startsBefore(0))]), .startsFrom(0),
    ] as [SampleFilter])
  func `other queries get samples only`(filter: SampleFilter) async throws {
    #expect(try await hours(filter, in: storeWithHours()) == [])
  }

  @Test func `times at the end of the range form no hours`() async throws {
    let store = try await storeWithHours()
    try await store.save([
      record(1, at: .min), record(1, at: .max), record(1, at: -5, lasting: .max),
    ])
    #expect(try await hours(.all([.type("t"), .startsFrom(.min), .endsBefore(.max)]), in: store) == [])
    #expect(try await hours(in: store) == [-2])
  }

  @Test func `the hour of a time before 1970 begins before that time`() {
    #expect(HourSummary.start(of: -1) == -Self.hour)
    #expect(HourSummary.start(of: -Self.hour) == -Self.hour)
    #expect(HourSummary.start(of: Self.hour + 1) == Self.hour)
  }
}
