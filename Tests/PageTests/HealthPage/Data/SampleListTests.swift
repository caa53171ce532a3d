import Foundation
import HealthDataSync
import HealthKit
import HealthSystem
import Testing

@testable import HealthPage
@testable import TestSupport

/// Tests the list of all samples, and their deletion and export.
@Suite(.timeLimit(.minutes(30))) struct SampleListTests {
  private struct Page: Decodable {
    struct Sample: Decodable {
      var uuid: String
      var value: Double?
      var start: Date
    }

    var samples: [Sample]
    var next: String?
  }

  @Test func `every sample is on exactly one page, even if many begin at the same time`() async throws {
    let store = try PageStore()
    try await store.save([1, 2, 3])
    for number in 0..<7 {
      let source = HKSource(name: "S\(number)", bundleIdentifier: "s.\(number)")
      try await store.save([60 + Double(number)], from: 1, as: source)
    }
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      for limit in [1, 2, 3, 4, 100] {
        var (uuids, starts): ([String], [Date]) = ([], [])
        var next: String?
        repeat {
          let after = next.map { "&after=\($0)" } ?? ""
          let answer = try await client.get("/api/samples?type=heartRate&limit=\(limit)\(after)").decoded(
            Page.self)
          #expect(answer.samples.count <= limit && !answer.samples.isEmpty)
          uuids += answer.samples.map(\.uuid)
          starts += answer.samples.map(\.start)
          next = answer.next
        } while next != nil && uuids.count < 50
        #expect(uuids.count == 10 && Set(uuids).count == 10, "\(limit)")
        #expect(starts == starts.sorted(by: >))
      }
      for wrong in [
        "after=1", "after=x.y", "after=1.0", "after=99999999999999999999.1", "limit=0", "limit=501",
      ] {
        #expect(try await client.get("/api/samples?type=heartRate&\(wrong)").status == 400, "\(wrong)")
      }
    }
  }

  /// The values are the same as in `hrgate samples`. A sleep stage, for example, has a name, because its
  /// number alone would not describe it.
  @Test func `categories, workouts and correlations are listed by name, in the shown units`() async throws {
    let store = try PageStore()
    let sleep = HKCategorySample(
      type: HKCategoryType(.sleepAnalysis), value: HKCategoryValueSleepAnalysis.asleepCore.rawValue,
      start: moment(), end: moment(60))
    let run = HKWorkout(
      activityType: .running, start: moment(), end: moment(1800),
      workoutEvents: [
        HKWorkoutEvent(
          type: .pause, dateInterval: DateInterval(start: moment(60), duration: 0), metadata: nil)
      ],
      totalEnergyBurned: HKQuantity(unit: .jouleUnit(with: .kilo), doubleValue: 4184),
      totalDistance: HKQuantity(unit: .meter(), doubleValue: 5000), metadata: nil)
    let pressures: [(HKQuantityTypeIdentifier, Double)] = [
      (.bloodPressureSystolic, 16), (.bloodPressureDiastolic, 10),
    ]
    let members = pressures.map { type, value in
      HKQuantitySample(
        type: HKQuantityType(type),
        quantity: HKQuantity(unit: .pascalUnit(with: .kilo), doubleValue: value), start: moment(),
        end: moment())
    }
    let pressure = HKCorrelation(
      type: HKCorrelationType(.bloodPressure), start: moment(), end: moment(), objects: Set(members))
    try await store.system.healthStore.acting(as: .watch).save([sleep, run, pressure])
    for (type, unit) in [
      (HKQuantityTypeIdentifier.activeEnergyBurned, "kcal"), (.distanceWalkingRunning, "km"),
      (.bloodPressureSystolic, "mmHg"), (.bloodPressureDiastolic, "mmHg"),
    ] {
      try await store.system.setPreferredUnit(HKUnit(from: unit), for: HKQuantityType(type))
    }
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      func listed(_ type: String) async throws -> [String: Any] {
        let answer = try await client.get("/api/samples?type=\(type)").object()
        return try #require((answer["samples"] as? [[String: Any]])?.first)
      }
      let slept = try await listed("sleepAnalysis")
      #expect(slept["valueName"] as? String == "asleepCore" && slept["value"] as? Double == 3)
      #expect(slept["unit"] == nil && slept["activityType"] == nil)
      let ran = try await listed("workout")
      #expect(ran["activityType"] as? String == "running" && ran["duration"] is Double)
      let total = { (name: String) in ran[name] as? [String: Any] ?? [:] }
      #expect(total("totalEnergyBurned")["value"] as? Double == 1000)
      #expect(total("totalEnergyBurned")["unit"] as? String == "kcal")
      #expect(total("totalDistance")["value"] as? Double == 5)
      #expect((ran["events"] as? [[String: Any]])?.first?["type"] as? String == "pause")
      let parts = try #require(try await listed("bloodPressure")["members"] as? [[String: Any]])
      #expect(
        parts.map { $0["type"] as? String }
          == ["Diastolic", "Systolic"].map { "HKQuantityTypeIdentifierBloodPressure\($0)" })
      #expect(parts.map { $0["unit"] as? String } == ["mmHg", "mmHg"])
      #expect(((parts.last?["value"] as? Double ?? 0) - 120.0099).magnitude < 0.001)
    }
  }

  @Test func `types and sources are listed with their number of samples`() async throws {
    let store = try PageStore()
    try await store.save([60, 61, 62])
    try await store.save([70], as: .watch)
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      let types = try await client.get("/api/types").decoded(TypesResponse.self).types
      #expect(types.map(\.type) == ["heartRate"] && types.first?.count == 4)
      #expect(types.first?.unit == "count/min" && types.first?.style == "discrete")
      #expect(types.first?.first == moment() && types.first?.last == moment(2))
      let sources = try await client.get("/api/sources").decoded(SourcesResponse.self).sources
      #expect(sources.map(\.name).sorted() == ["Strap", "Watch"])
      #expect(sources.first { $0.name == "Strap" }?.samples == ["heartRate": 3])
    }
  }

  @Test func `an empty store is reported as empty, and every list is empty`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      #expect(try await client.get("/api/session").decoded(SessionResponse.self).isEmpty)
      for route in [
        "types", "sources", "permissions", "characteristics", "units", "goals", "monitors",
        "samples?type=heartRate", "order?type=stepCount", "worn", "summary",
        "gaps?from=1970-01-01T00:00:01Z&to=1970-01-01T00:00:02Z",
        "beats?from=1970-01-01T00:00:01Z&to=1970-01-01T00:00:02Z&pixels=5",
        "variability?from=1970-01-01T00:00:01Z&to=1970-01-01T00:00:02Z", "zones?maximum=190",
        "series?type=heartRate&from=1970-01-01T00:00:01Z&to=1970-01-01T00:00:02Z&pixels=5",
        "statistics?type=heartRate",
      ] {
        let answer = try await client.get("/api/\(route)")
        #expect(answer.status == 200, "\(route): \(answer.text)")
      }
      #expect(try await client.get("/api/export.csv?type=heartRate").status == 404)
    }
  }

  @Test func `a hostile name is returned as text`() async throws {
    let store = try PageStore()
    let name = #"<img src=x onerror="alert(1)"></script>"# + "\u{1B}[2J\u{202E}"
    try await store.save([60], as: HKSource(name: name, bundleIdentifier: "<b>'\""))
    try await ServedPage.serve(store.page()) { [system = store.system] page in
      let client = try await page.entered()
      for route in ["sources", "samples?type=heartRate", "statistics?type=heartRate"] {
        let answer = try await client.get("/api/\(route)")
        #expect(answer.fields["content-type"] == "application/json")
        #expect(answer.fields["x-content-type-options"] == "nosniff")
        #expect(!answer.text.contains("\u{1B}"))
      }
      #expect(try await client.get("/api/sources").decoded(SourcesResponse.self).sources.first?.name == name)
      let one = try await client.get("/api/statistics?type=heartRate&source=%3Cb%3E'%22")
      #expect(try one.decoded(StatisticsView.self).count == 1)
      // The parameter `source` can be repeated.
      try await system.save([61], from: 1)
      try await system.save([62], from: 2, as: .watch)
      let strap = HKSource.strap.bundleIdentifier
      let two = try await client.get("/api/statistics?type=heartRate&source=%3Cb%3E'%22&source=\(strap)")
      #expect(try two.decoded(StatisticsView.self).sources?.count == 2)
    }
  }

  @Test func `a deletion fails if the number of samples has changed since they were counted`() async throws {
    let store = try PageStore()
    try await store.save([60, 61, 62])
    try await store.save([70], as: .watch)
    try await ServedPage.serve(store.page()) { [healthStore = store.system.healthStore] page in
      let client = try await page.entered()
      let wish = #""source":"\#(HKSource.strap.bundleIdentifier)""#
      let count = try await client.post("/api/delete/count", "{\(wish)}").decoded(DeletionCount.self)
      #expect(count.total == 3 && count.counts == ["heartRate": 3])
      try await healthStore.acting(as: .strap).save(heartRate(63, at: 3))
      #expect(try await client.post("/api/delete", "{\(wish),\"total\":3}").status == 409)
      #expect(try await client.post("/api/delete", "{\(wish)}").status == 400)
      #expect(try await client.get("/api/sources").decoded(SourcesResponse.self).sources.count == 2)
      let deleted = try await client.post("/api/delete", "{\(wish),\"total\":4}").decoded(Deleted.self)
      #expect(deleted.deleted == 4)
      let left = try await client.get("/api/sources").decoded(SourcesResponse.self).sources
      #expect(left.map(\.name) == ["Watch"])
      let (backwards, beyond) = (
        #"{"from":"1970-01-01T00:00:02Z","to":"1970-01-01T00:00:01Z"}"#, #"{"from":1e300}"#
      )
      for body in ["{}", #"{"total":1}"#, #"{"uuids":["x"]}"#, backwards, beyond] {
        #expect(try await client.post("/api/delete/count", body).status == 400, "\(body)")
      }
    }
  }

  @Test func `all samples of a measuring source are deleted, except those saved since`() async throws {
    let store = try PageStore()
    // The last sample is 1 µs earlier than a sample that is saved after the count.
    try await store.save([60, 61, 62], from: 0.123_457)
    try await ServedPage.serve(store.page()) { [healthStore = store.system.healthStore] page in
      let client = try await page.entered()
      let wish = #""source":"\#(HKSource.strap.bundleIdentifier)""#
      let count = try await client.post("/api/delete/count", "{\(wish)}").decoded(DeletionCount.self)
      let to = try #require(count.to)
      try await healthStore.acting(as: .strap).save(heartRate(63, at: 2.123_458))
      try await healthStore.acting(as: .strap).save(heartRate(64, at: 3))
      let bounded = #"{\#(wish),"to":"\#(Timestamp.text(to))","total":3}"#
      #expect(try await client.post("/api/delete", bounded).decoded(Deleted.self).deleted == 3)
      let left = try await client.get("/api/samples?type=heartRate").decoded(Page.self).samples
      #expect(left.map(\.value) == [64, 63])
      // The end that the server returns is not later than the requested one.
      let early = try await client.post("/api/delete/count", #"{\#(wish),"to":"\#(time(2.5))"}"#)
        .decoded(DeletionCount.self)
      #expect(early.total == 1 && (early.to ?? .distantFuture) < moment(2.5))
      let none = try await client.post("/api/delete/count", #"{"source":"nobody"}"#).decoded(
        DeletionCount.self)
      #expect(none.total == 0 && none.to == nil)
    }
  }

  @Test func `all types of a source are deleted at once, and only in the given days`() async throws {
    let store = try PageStore()
    try await store.save([60, 61, 62, 63])
    try await store.save([70, 71], as: .watch)
    let steps = (0..<3).map { number in
      HKQuantitySample(
        type: HKQuantityType(.stepCount), quantity: HKQuantity(unit: .count(), doubleValue: 5),
        start: moment(Double(number)), end: moment(Double(number) + 0.5))
    }
    try await store.system.healthStore.acting(as: .strap).save(steps)
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      let wish =
        #""source":"\#(HKSource.strap.bundleIdentifier)","from":"\#(time(1))","to":"\#(time(2))""#
      let count = try await client.post("/api/delete/count", "{\(wish)}").decoded(DeletionCount.self)
      #expect(count.counts == ["heartRate": 1, "stepCount": 1])
      #expect(try await client.post("/api/delete", "{\(wish),\"total\":2}").status == 200)
      func left() async throws -> [String: [String: Int]] {
        try await client.get("/api/sources").decoded(SourcesResponse.self).sources
          .reduce(into: [:]) { $0[$1.name] = $1.samples }
      }
      #expect(
        try await left() == ["Strap": ["heartRate": 3, "stepCount": 2], "Watch": ["heartRate": 2]])
      let whole = #""source":"\#(HKSource.strap.bundleIdentifier)""#
      #expect(try await client.post("/api/delete", "{\(whole),\"total\":5}").status == 200)
      #expect(try await left() == ["Watch": ["heartRate": 2]])
    }
  }

  @Test func `single samples are deleted by their UUIDs`() async throws {
    let store = try PageStore()
    try await store.save([60, 61, 62])
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      let samples = try await client.get("/api/samples?type=heartRate").decoded(Page.self).samples
      let uuid = try #require(samples.first { $0.value == 61 }).uuid
      let wish = #""uuids":["\#(uuid)"]"#
      #expect(try await client.post("/api/delete", "{\(wish),\"total\":1}").status == 200)
      let left = try await client.get("/api/samples?type=heartRate").decoded(Page.self).samples
      #expect(left.map(\.value) == [62, 60])
    }
  }

  @Test func `an export has every sample once and in order, whatever the steps are`() async throws {
    let store = try PageStore()
    try await store.save((0..<50).map { 60 + Double($0) })
    // This sample is three years later, so that the export reads in longer steps.
    try await store.save([99], from: 100_000_000)
    try await ServedPage.serve(store.page()) { page in
      let answer = try await page.entered().get("/api/export.csv?type=heartRate")
      #expect(answer.status == 200 && answer.fields["content-disposition"]?.contains("heartRate.csv") == true)
      let lines = answer.text.split(separator: "\n")
      #expect(lines.first?.hasPrefix("uuid,type,start,end,value,unit") == true && lines.count == 52)
      let values = lines.dropFirst().map { $0.split(separator: ",", omittingEmptySubsequences: false)[4] }
      #expect(values.map { Double($0) } == (0..<50).map { 60 + Double($0) } + [99])
    }
  }
}

@Suite struct SpanWalkTests {
  @Test(arguments: [0, 5, 5000, 100_000])
  func `steps are adjacent, begin at the start and reach the end`(count: Int) {
    let span = DateInterval(start: moment(), duration: 1e7)
    var (walk, last, parts) = (SpanWalk(span), moment(), 0)
    while let part = walk.next {
      #expect(part.start == last)
      last = part.end
      parts += 1
      walk.found(count)
    }
    #expect(last > span.end)
    #expect(count > 20_000 ? parts > 2000 : parts < 3000)
  }

  @Test func `an instant is one step`() {
    var walk = SpanWalk(DateInterval(start: moment(), duration: 0))
    #expect(walk.next?.contains(moment()) == true)
    walk.found(1)
    #expect(walk.next == nil)
  }
}
