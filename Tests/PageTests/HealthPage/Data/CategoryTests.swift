import Foundation
import HealthKit
import HealthSystem
import Testing

@testable import HealthPage
@testable import TestSupport

/// Tests samples of categories on a timeline.
@Suite(.timeLimit(.minutes(30))) struct CategoryTests {
  private let headache = HKCategoryType(.headache)

  private func sample(_ severity: HKCategoryValueSeverity, _ start: Double, _ end: Double)
    -> HKCategorySample
  {
    HKCategorySample(
      type: headache, value: severity.rawValue, start: moment(start), end: moment(end))
  }

  @Test
  func `samples come in order with the names of their values, and the latest if there are many`()
    async throws
  {
    let store = try PageStore()
    try await store.system.healthStore.acting(as: .watch).save(
      [sample(.severe, 200, 260), sample(.mild, 100, 100), sample(.severe, 400, 460)])
    let cut = try await CategoriesResponse.of(headache, store.system.healthStore, nil, limit: 2)
    #expect(cut.isCut && cut.values.map(\.name) == ["severe"] && cut.value == [0, 0])
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      let all = try await client.get("/api/categories?type=headache").decoded(
        CategoriesResponse.self)
      #expect(
        all.values.map(\.name) == ["mild", "severe"] && all.value == [0, 1, 1] && !all.isCut)
      #expect(all.time == [100, 200, 400].map { moment($0).milliseconds })
      #expect(all.end == [100, 260, 460].map { moment($0).milliseconds })
      let some = try await client.get(
        "/api/categories?type=headache&from=\(time(150))&to=\(time(300))"
      )
      .decoded(CategoriesResponse.self)
      #expect(some.time == [moment(200).milliseconds])
      #expect(try await client.get("/api/categories?type=heartRate").status == 400)
      #expect(try await client.get("/api/categories").status == 400)
    }
  }

  @Test func `a sample that is ongoing ends now`() async throws {
    let store = try PageStore()
    let type = HKCategoryType(.pregnancy)
    let sample = HKCategorySample(
      type: type, value: HKCategoryValue.notApplicable.rawValue, start: moment(0),
      end: .distantFuture)
    try await store.system.healthStore.acting(as: .watch).save([sample])
    let answer = try await CategoriesResponse.of(
      type, store.system.healthStore, nil, now: moment(500))
    #expect(
      answer.end == [moment(500).milliseconds] && answer.values.map(\.name) == ["notApplicable"])
  }
}
