import Foundation
import HealthKit
import HealthSystem
import Testing

@testable import HealthPage
@testable import TestSupport

/// Tests blood pressures as pairs.
@Suite(.timeLimit(.minutes(30))) struct PressureTests {
  private func pressure(_ systolic: Double, _ diastolic: Double, _ seconds: Double) -> HKCorrelation {
    func part(_ type: HKQuantityTypeIdentifier, _ value: Double) -> HKQuantitySample {
      HKQuantitySample(
        type: HKQuantityType(type),
        quantity: HKQuantity(unit: .millimeterOfMercury(), doubleValue: value), start: moment(seconds),
        end: moment(seconds))
    }
    return HKCorrelation(
      type: HKCorrelationType(.bloodPressure), start: moment(seconds), end: moment(seconds),
      objects: [part(.bloodPressureSystolic, systolic), part(.bloodPressureDiastolic, diastolic)])
  }

  @Test func `pairs come in order, and the latest if there are many`() async throws {
    let store = try PageStore()
    try await store.system.healthStore.acting(as: .watch).save(
      [pressure(128, 81, 200), pressure(120, 78, 100)])
    try await store.system.healthStore.acting(as: .strap).save([pressure(131, 85, 300)])
    let cut = try await PressuresResponse.of(store.system.healthStore, nil, limit: 2)
    #expect(cut.isCut && cut.systolic == [128, 131])
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      let all = try await client.get("/api/pressures").decoded(PressuresResponse.self)
      #expect(all.systolic == [120, 128, 131] && all.diastolic == [78, 81, 85])
      #expect(all.time == [100, 200, 300].map { moment($0).milliseconds } && !all.isCut)
      #expect(all.sources.map(\.name) == ["Strap", "Watch"] && all.from == [1, 1, 0])
      #expect(all.unit == "mmHg")
      let some = try await client.get(
        "/api/pressures?from=\(time(150))&source=\(HKSource.watch.bundleIdentifier)"
      ).decoded(PressuresResponse.self)
      #expect(some.systolic == [128])
    }
  }
}
