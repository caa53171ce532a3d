import HealthKit
import Testing

/// Runs the code blocks of the documentation page on statistics.
@Suite struct StatisticsPrograms {
  private let store: HKHealthStore

  init() throws { store = try .inMemory() }

  @Test func `three heart rates have the average that the page calculates`() async throws {
    let start = Calendar.current.startOfDay(for: .now)
    let values = [(0.0, 60.0), (4, 120), (5, 120)]
    try await store.save(
      values.map { second, value in
        HKQuantitySample(
          type: HKQuantityType(.heartRate),
          quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: value), start: start + second,
          end: start + second)
      })
    let today = HKQuery.predicateForSamples(withStart: Calendar.current.startOfDay(for: .now), end: nil)
    let query = HKStatisticsQueryDescriptor(
      predicate: .quantitySample(type: HKQuantityType(.heartRate), predicate: today),
      options: [.discreteMin, .discreteAverage, .discreteMax])
    let statistics = try await query.result(for: store)
    let average = statistics?.averageQuantity()?.doubleValue(for: HKUnit(from: "count/min"))
    #expect(average == 80)
    #expect(statistics?.minimumQuantity()?.doubleValue(for: HKUnit(from: "count/min")) == 60)
  }

  @Test func `steps are added up by day`() async throws {
    try await store.save(
      HKQuantitySample(
        type: HKQuantityType(.stepCount), quantity: HKQuantity(unit: .count(), doubleValue: 100),
        start: Calendar.current.startOfDay(for: .now), end: .now))
    let byDay = HKStatisticsCollectionQueryDescriptor(
      predicate: .quantitySample(type: HKQuantityType(.stepCount)), options: .cumulativeSum,
      anchorDate: Calendar.current.startOfDay(for: .now), intervalComponents: DateComponents(day: 1))
    let collection = try await byDay.result(for: store)
    collection.enumerateStatistics(from: .now - 7 * 86_400, to: .now) { day, _ in
      print(day.startDate, day.sumQuantity()?.doubleValue(for: .count()) ?? 0)
    }
    #expect(collection.statistics().map { $0.sumQuantity()?.doubleValue(for: .count()) } == [100])
  }
}
