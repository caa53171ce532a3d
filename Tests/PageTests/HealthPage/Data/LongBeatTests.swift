import Foundation
import HealthKit
import HealthSystem
import HeartRateVariability
import Testing

@testable import HealthPage
@testable import TestSupport

/// Tests that a range of several days, which is read in parts, gives the same result as when it is read at
/// once.
@Suite(.timeLimit(.minutes(30))) struct LongBeatTests {
  private static let days = 5

  /// Saves a few minutes of beats about every two hours for five days, from two sources. Some series cross
  /// the bound between two parts.
  private static func fill(_ store: PageStore) async throws {
    var generator = SeededGenerator(seed: 11)
    for (source, shift) in [(HKSource.strap, 0.0), (HKSource.watch, 0.4)] {
      var samples: [HKSample] = []
      let edges = (1..<days).map { Double($0) * 24 - 1 - 120 / 3600 }
      for hour in Array(stride(from: 0, to: Double(days) * 24, by: 1.93)) + edges {
        var time = 0.0
        let edge = edges.contains(hour) ? 120 - shift : .infinity
        let beats = (0..<300).map { number in
          // The interval that crosses the bound between two parts is longer than all others near it.
          let isOver = time <= edge && time + 0.9 > edge
          time +=
            isOver ? 0.9 : number % 97 == 40 ? 0.35 : Double.random(in: 0.75...0.85, using: &generator)
          return HKHeartbeatSeriesQueryDescriptor.Heartbeat(
            timeIntervalSinceStart: time, precededByGap: false)
        }
        samples.append(
          try HKHeartbeatSeriesSample(
            uuid: UUID(), start: moment(hour * 3600 + shift), beats: beats, device: nil, metadata: nil))
      }
      try await store.system.healthStore.acting(as: source).save(samples)
    }
  }

  private static let span = DateInterval(start: moment(-3600), end: moment(Double(days) * 86_400 + 3600))

  @Test func `minimum and maximum intervals are those of all beats together`() async throws {
    let store = try PageStore()
    try await Self.fill(store)
    let answer = try await BeatsResponse.of(
      store.system.healthStore, during: Self.span, source: nil, pixels: 200)
    let whole = try await MarkedBeats.of(store.system.healthStore, during: Self.span, source: nil)
    #expect(Self.span.duration > 4 * BeatsResponse.part)
    #expect(answer.recordings.map(\.name) == ["Strap", "Watch"] && whole.count == 2)
    let step = Step(Self.span, pixels: 200)
    for (recording, (_, marked)) in zip(answer.recordings, whole) {
      var (low, high) = (
        [Double?](repeating: nil, count: step.count), [Double?](repeating: nil, count: step.count)
      )
      for segment in marked.segments {
        for index in segment.intervals.indices where segment.marks[index].isNN {
          let time = Date(timeIntervalSince1970: segment.start + segment.ends[index])
          let place = try #require(step.place(of: time))
          low[place] = min(low[place] ?? .infinity, segment.intervals[index])
          high[place] = max(high[place] ?? 0, segment.intervals[index])
        }
      }
      #expect(recording.form == "ranges" && recording.low == low && recording.high == high)
      #expect(low.count { $0 != nil } > 50)
    }
    // If a range has only few intervals, each of them is returned, even if the range is long.
    let some = DateInterval(start: moment(-90 * 86_400), end: moment(60))
    let few = try await BeatsResponse.of(store.system.healthStore, during: some, source: nil, pixels: 100)
    #expect(few.recordings.map(\.form) == ["intervals", "intervals"])
    #expect(few.recordings.allSatisfy { ($0.segments?.first?.rr.count ?? 0) > 60 })
  }

  @Test func `an interval across the bound of two parts is counted once`() async throws {
    let store = try PageStore()
    let beats = (0...300).map { number in
      HKHeartbeatSeriesQueryDescriptor.Heartbeat(
        timeIntervalSinceStart: Double(number) * 0.8, precededByGap: false)
    }
    try await store.system.healthStore.acting(as: .strap).save(
      HKHeartbeatSeriesSample(
        uuid: UUID(), start: moment(BeatsResponse.part - 120), beats: beats, device: nil, metadata: nil))
    let span = DateInterval(start: moment(), end: moment(3 * BeatsResponse.part))
    for (pixels, form) in [(150, "intervals"), (149, "ranges")] {
      let answer = try await BeatsResponse.of(
        store.system.healthStore, during: span, source: nil, pixels: pixels)
      #expect(answer.recordings.map(\.form) == [form])
    }
  }

  @Test func `windows of several days are those of all beats together`() async throws {
    let store = try PageStore()
    try await Self.fill(store)
    let answer = try await VariabilityResponse.of(
      store.system.healthStore, during: Self.span, source: nil, every: 3600)
    #expect(Self.span.duration > 2 * VariabilityResponse.part)
    let plan = WindowPlan(duration: 3600, origin: Self.span.start.timeIntervalSince1970)
    var wanted: [(Date, Int, Double?)] = []
    let all = Selection(from: Self.span.start, to: Self.span.end, source: nil).predicate([])
    for beats in try await StoredBeats.bySource(in: store.system.healthStore, matching: all) {
      let recording = Cleaning.usual.mark(beats.segments)
      for window in plan.windows(of: recording) where window.end <= Self.span.end.timeIntervalSince1970 {
        let series = recording.nn(in: window)
        let rmssd = try? VariabilityAnalysis().measures(of: series).timeDomain.get().rmssd
        wanted.append((Date(timeIntervalSince1970: window.start), series.measured, rmssd))
      }
    }
    #expect(answer.windows.count == wanted.count && wanted.count > 100)
    for (window, wish) in zip(answer.windows, wanted) {
      #expect(window.start == wish.0 && window.beats == wish.1 && window.rmssd == wish.2)
    }
  }

  @Test func `a range without an end costs no more than the stored beats`() async throws {
    let store = try PageStore()
    try await Self.fill(store)
    let ever = DateInterval(start: .distantPast, end: .distantFuture)
    let parts = try await BeatParts.of(ever, length: 86_400, in: store.system.healthStore, source: nil)
    #expect(parts.count <= Self.days + 2 && parts.last?.end == ever.end)
    #expect(parts.first.map { $0.start <= moment() && $0.end > moment() } == true)
    for (one, next) in zip(parts, parts.dropFirst()) { #expect(one.end == next.start) }
    let other = try await BeatParts.of(ever, length: 86_400, in: store.system.healthStore, source: "missing")
    #expect(other.isEmpty)
  }

  @Test func `a file of intervals covers at most a week, and the error says what to do`() async throws {
    let store = try PageStore()
    try await Self.fill(store)
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      let source = HKSource.strap.bundleIdentifier
      let week = try await client.get(
        "/api/export.rr?from=\(time(-1))&to=\(time(7 * 86_400))&source=\(source)")
      #expect(week.status == 200 && week.text.split(separator: "\n").count > 10_000)
      for target in ["from=\(time(0))&to=\(time(9 * 86_400))", "from=\(time(0))", ""] {
        #expect(try await client.get("/api/export.rr?\(target)").status == 400, "\(target)")
      }
      let refused = try await client.get("/api/export.rr?from=\(time(0))&to=\(time(9 * 86_400))")
      #expect(refused.text.contains("hrgate export --format rr"))
    }
  }
}
