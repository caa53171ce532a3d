import HealthKit
import Testing

/// Tests that samples of every kind are saved and read unchanged.
@Suite struct SavingEverySampleTests {
  private func again<Sample: HKSample>(
    _ sample: Sample, _ predicate: HKSamplePredicate<Sample>, in store: HKHealthStore
  ) async throws -> Sample {
    try await store.save(sample)
    let all = try await HKSampleQueryDescriptor(predicates: [predicate], sortDescriptors: []).result(
      for: store)
    let back = try #require(all.first { $0.uuid == sample.uuid })
    #expect(back.startDate == sample.startDate && back.endDate == sample.endDate)
    #expect(back.device == sample.device)
    #expect(back.sourceRevision.source == .default())
    return back
  }

  @Test(arguments: StoreDepth.allCases)
  func `categories, correlations and workouts`(depth: StoreDepth) async throws {
    try await depth.withStore { store in
      let sleep = HKCategorySample(
        type: HKCategoryType(.sleepAnalysis), value: 5, start: moment(), end: moment(60), device: .local(),
        metadata: ["k": 1])
      let back = try await again(sleep, .categorySample(type: HKCategoryType(.sleepAnalysis)), in: store)
      #expect(back.value == 5 && back.metadata?["k"] as? Int == 1)

      func pressure(_ type: HKQuantityTypeIdentifier, _ value: Double) -> HKSample {
        HKQuantitySample(
          type: HKQuantityType(type), quantity: HKQuantity(unit: .millimeterOfMercury(), doubleValue: value),
          start: moment(), end: moment())
      }
      let correlation = HKCorrelation(
        type: HKCorrelationType(.bloodPressure), start: moment(), end: moment(),
        objects: [pressure(.bloodPressureSystolic, 120), pressure(.bloodPressureDiastolic, 80)])
      let same = try await again(
        correlation, .correlation(type: HKCorrelationType(.bloodPressure)), in: store)
      #expect(same.objects == correlation.objects)
      #expect(same.objects.allSatisfy { $0.sourceRevision.source == .default() })
      // The members can also be queried separately.
      let systolic = try await HKSampleQueryDescriptor(
        predicates: [.quantitySample(type: HKQuantityType(.bloodPressureSystolic))], sortDescriptors: []
      ).result(for: store)
      #expect(systolic.map(\.quantity) == [HKQuantity(unit: .millimeterOfMercury(), doubleValue: 120)])

      let workout = HKWorkout(
        activityType: .rowing, start: moment(), end: moment(600), workoutEvents: nil,
        totalEnergyBurned: HKQuantity(unit: .kilocalorie(), doubleValue: 100), totalDistance: nil,
        metadata: nil)
      let rowed = try await again(workout, .workout(), in: store)
      #expect(rowed.workoutActivityType == .rowing && rowed.totalEnergyBurned == workout.totalEnergyBurned)
    }
  }

  @Test func `states of mind, assessments and prescriptions`() async throws {
    let store = try HKHealthStore.inMemory()
    let mood = HKStateOfMind(
      date: moment(), kind: .dailyMood, valence: 0.5, labels: [.calm], associations: [.work])
    #expect(try await again(mood, .stateOfMind(), in: store).labels == [.calm])
    let answers = Array(repeating: HKGAD7Assessment.Answer.severalDays, count: 7)
    let assessment = HKGAD7Assessment(date: moment(), answers: answers)
    #expect(try await again(assessment, .gad7Assessment(), in: store).score == 7)
    let prescription = HKVisionPrescription(
      type: .glasses, dateIssued: moment(), expirationDate: nil, device: nil, metadata: nil)
    #expect(try await again(prescription, .visionPrescription(), in: store).expirationDate == nil)
  }

  @Test func `a batch with a sample that is already stored is rejected completely`() async throws {
    let store = try HKHealthStore.inMemory()
    let workout = HKWorkout(activityType: .running, start: moment(), end: moment(60))
    try await store.save(workout)
    await expectFailure(.errorInvalidArgument) {
      try await store.save([HKWorkout(activityType: .yoga, start: moment(), end: moment(60)), workout])
    }
    let all = try await HKSampleQueryDescriptor(predicates: [.workout()], sortDescriptors: []).result(
      for: store)
    #expect(all.map(\.workoutActivityType) == [.running])
  }
}
