import Foundation
import HealthKit
import Testing

/// Runs the code blocks of the docstrings of `HealthKit`. Most of them are about additions to Apple's
/// framework.
@Suite struct ValidationPrograms {
  private let start = Date(timeIntervalSinceReferenceDate: 800_000_000)
  private var end: Date { start + 3600 }

  @Test func `values of the user become units and quantities`() throws {
    do {
      let unit = try HKUnit.validated(from: "count/min")
      #expect(unit.unitString == "count/min")
    }
    do {
      let unit = try HKUnit.validated(from: "mg/dL")
      print(unit)
    } catch {
      print(error.reason)
    }
    do {
      let mass = HKQuantity(unit: .gramUnit(with: .kilo), doubleValue: 70)
      let grams = mass.doubleValue(for: .gram())  // 70000
      #expect(grams == 70_000)
    }
    do {
      let unit = try HKUnit.massFormatterUnit(validating: try HKUnit.validated(from: "kg"))
      #expect(unit == .kilogram)
    }
    let quantity = HKQuantity(unit: HKUnit(from: "mg/dL"), doubleValue: 90)
    let unit = try HKUnit.validated(from: "mg/dL")
    let glucose = try quantity.validatedDoubleValue(for: unit)
    #expect(glucose == 90)
    let limit = HKQuantity(unit: unit, doubleValue: 140)
    let isAbove = try quantity.validatedCompare(limit) == .orderedDescending
    #expect(!isAbove)
    #expect(throws: HKValidationError.self) { try quantity.validatedDoubleValue(for: .count()) }
  }

  @Test func `values of the user become samples`() throws {
    do {
      let heartRate = HKQuantitySample(
        type: HKQuantityType(.heartRate),
        quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 72), start: .now, end: .now)
      #expect(heartRate.count == 1)
    }
    let sample = try HKQuantitySample.validated(
      type: HKQuantityType(.heartRate),
      quantity: HKQuantity(unit: try HKUnit.validated(from: "count/min"), doubleValue: 72),
      start: .now, end: .now)
    do {
      let data = try NSKeyedArchiver.archivedData(withRootObject: sample, requiringSecureCoding: true)
      let copy = try NSKeyedUnarchiver.unarchivedObject(ofClass: HKQuantitySample.self, from: data)
      #expect(copy?.uuid == sample.uuid)
    }
    let samples = [sample]
    let array = samples as NSArray
    let data = try NSKeyedArchiver.archivedData(withRootObject: array, requiringSecureCoding: true)
    let copies = try NSKeyedUnarchiver.unarchivedArrayOfObjects(ofClass: HKQuantitySample.self, from: data)
    #expect(copies?.map(\.uuid) == [sample.uuid])
    let sleep = try HKCategorySample.validated(
      type: HKCategoryType(.sleepAnalysis), value: HKCategoryValueSleepAnalysis.asleepDeep.rawValue,
      start: start, end: end)
    #expect(sleep.value == HKCategoryValueSleepAnalysis.asleepDeep.rawValue)
    let millimeters = HKUnit.millimeterOfMercury()
    let systolic = HKQuantitySample(
      type: HKQuantityType(.bloodPressureSystolic),
      quantity: HKQuantity(unit: millimeters, doubleValue: 120), start: start, end: end)
    let diastolic = HKQuantitySample(
      type: HKQuantityType(.bloodPressureDiastolic),
      quantity: HKQuantity(unit: millimeters, doubleValue: 80), start: start, end: end)
    let pressure = try HKCorrelation.validated(
      type: HKCorrelationType(.bloodPressure), start: start, end: end, objects: [systolic, diastolic])
    #expect(pressure.objects.count == 2)
  }

  @Test func `values of the user become workouts`() throws {
    let workout = try HKWorkout.validated(
      activityType: .running, start: start, end: end,
      totalDistance: HKQuantity(unit: .meter(), doubleValue: 5000))
    #expect(workout.duration == 3600)
    let lap = try HKWorkoutEvent.validated(
      type: .lap, dateInterval: DateInterval(start: start, end: end))
    #expect(lap.type == .lap)
    let configuration = HKWorkoutConfiguration()
    configuration.activityType = .cycling
    let activity = try HKWorkoutActivity.validated(
      workoutConfiguration: configuration, start: start, end: end)
    #expect(activity.duration == 3600)
  }

  @Test func `values of the user become assessments and prescriptions`() throws {
    let mood = try HKStateOfMind.validated(
      date: .now, kind: .momentaryEmotion, valence: 0.5, labels: [.calm], associations: [.hobbies])
    #expect(mood.valence == 0.5)
    func assessment(_ numbers: [Int]) throws -> HKGAD7Assessment {
      let answers = numbers.compactMap(HKGAD7Assessment.Answer.init(rawValue:))
      let assessment = try HKGAD7Assessment.validated(date: .now, answers: answers)
      return assessment
    }
    #expect(try assessment([0, 1, 2, 3, 0, 1, 2]).score == 9)
    #expect(throws: HKValidationError.self) { try assessment([0, 1, 2, 3, 0, 1, 99]) }
    func depression(_ numbers: [Int]) throws -> HKPHQ9Assessment {
      let answers = numbers.compactMap(HKPHQ9Assessment.Answer.init(rawValue:))
      let assessment = try HKPHQ9Assessment.validated(date: .now, answers: answers)
      return assessment
    }
    #expect(try depression([0, 1, 2, 3, 0, 1, 2, 3, 0]).score == 12)
    #expect(throws: HKValidationError.self) { try depression([0, 1, 2]) }
    let lens = try HKGlassesLensSpecification.validated(
      sphere: HKQuantity(unit: .diopter(), doubleValue: -1.25))
    #expect(lens.sphere.doubleValue(for: .diopter()) == -1.25)
    let prescription = try HKGlassesPrescription.validated(
      rightEyeSpecification: lens, leftEyeSpecification: lens, dateIssued: start)
    #expect(prescription.dateIssued == start)
    let points = [
      try HKAudiogramSensitivityPoint(
        frequency: HKQuantity(unit: .hertz(), doubleValue: 1000),
        leftEarSensitivity: HKQuantity(unit: .decibelHearingLevel(), doubleValue: 20),
        rightEarSensitivity: nil)
    ]
    let audiogram = try HKAudiogramSample.validated(sensitivityPoints: points, start: start, end: end)
    #expect(audiogram.sensitivityPoints.count == 1)
  }

  @Test func `stores in memory`() async throws {
    do {
      let store = try HKHealthStore.inMemory()
      let predicate = HKSamplePredicate.quantitySample(type: HKQuantityType(.heartRate))
      let count = try await store.reduceSamples(into: 0, [predicate]) { count, _ in count += 1 }
      #expect(count == 0)
    }
    do {
      let configuration = HKHealthStore.Configuration(
        location: .memory, decision: .asking { request in .granted(share: [], read: request.read) })
      #expect(configuration.location == .memory)
    }
    let application = try HKHealthStore.Application(
      bundleIdentifier: "org.example.recorder", name: "Recorder",
      healthShareUsageDescription: "Shows your heart rate.",
      healthUpdateUsageDescription: "Saves the values you enter.")
    let store = try HKHealthStore(
      configuration: HKHealthStore.Configuration(
        location: .memory, application: application, decision: .everything))
    #expect(store.authorizationStatus(for: HKQuantityType(.heartRate)) == .sharingAuthorized)
  }

  // MARK: - Compiled, not run

  private func file() throws -> HKHealthStore {
    let configuration = HKHealthStore.Configuration(
      location: .file("test.sqlite"), decision: .everything)
    let store = try HKHealthStore(configuration: configuration)
    return store
  }

  private func main() throws {
    guard let application = try HKHealthStore.Application.main() else {
      fatalError("There is no Info.plist beside the executable.")
    }
    print(application.bundleIdentifier, application.entitlements.healthKit)
  }

  private func workout(_ store: HKHealthStore, _ heartRates: [HKQuantitySample]) async throws -> HKWorkout? {
    let configuration = HKWorkoutConfiguration()
    configuration.activityType = .running
    let builder = HKWorkoutBuilder(healthStore: store, configuration: configuration, device: nil)
    try await builder.beginCollection(at: start)
    try await builder.addSamples(heartRates)
    try await builder.endCollection(at: end)
    let workout = try await builder.finishWorkout()
    return workout
  }
}
