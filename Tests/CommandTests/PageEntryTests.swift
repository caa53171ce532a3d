import Foundation
import HealthKit
import HealthSystem
import Testing

@testable import TestSupport

/// Adds samples in a browser, and reads them with a HealthKit program.
@Suite(.timeLimit(.minutes(30)), .enabled(if: PageBrowser.isInstalled)) struct PageEntryTests {
  /// What is typed, by the names of the form's fields. Times are local ones in Berlin, as in the browser.
  private static let entries: [[String: String]] = [
    ["type": "bodyMass", "value": "73.2", "unit": "kg"],
    ["type": "height", "value": "178", "unit": "cm"],
    ["type": "bodyTemperature", "value": "37.4", "unit": "degC"],
    ["type": "bloodGlucose", "value": "98", "unit": "mg/dL"],
    ["type": "oxygenSaturation", "value": "97", "unit": "%"],
    ["type": "dietaryWater", "value": "250", "unit": "mL"],
    ["type": "stepCount", "value": "4000"],
    ["type": "headache", "choice": "severe"],
    ["type": "mindfulSession"],
    ["type": "bloodPressure", "systolic": "121", "diastolic": "79"],
    ["type": "workout", "choice": "running", "energy": "310", "distance": "5.2"],
  ].map { entry in
    // A blood pressure has only a start time in the form.
    let times = [
      "start": "2026-10-06T07:30", "end": entry["systolic"] == nil ? "2026-10-06T08:00" : nil,
    ]
    return entry.merging(times.compactMapValues(\.self)) { $1 }
  }

  private static let start = Date(timeIntervalSince1970: 1_791_264_600)

  private func quantities(
    of identifiers: [HKQuantityTypeIdentifier], in store: HKHealthStore
  ) async throws -> [HKQuantityTypeIdentifier: HKQuantity] {
    var found: [HKQuantityTypeIdentifier: HKQuantity] = [:]
    for identifier in identifiers {
      let samples = try await HKSampleQueryDescriptor(
        predicates: [.quantitySample(type: HKQuantityType(identifier))], sortDescriptors: []
      ).result(for: store)
      try #require(samples.count == 1, "\(identifier.rawValue): \(samples.count)")
      #expect(samples[0].startDate == Self.start)
      #expect(samples[0].metadata?[HKMetadataKeyWasUserEntered] as? Bool == true)
      found[identifier] = samples[0].quantity
    }
    return found
  }

  @Test func `a HealthKit program reads what was added in the browser`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("s.sqlite")
    _ = try SystemStore(at: path)
    var environment = Command.withoutBus(folder)
    environment["XDG_RUNTIME_DIR"] = folder.path("")
    let facts = try folder.file(
      "facts.json", Array(JSONSerialization.data(withJSONObject: ["entries": Self.entries])))
    let page = try await PrintedPage(path, environment, folder)
    let said = try await PageBrowser.run([
      "--address", page.address, "--facts", facts, "test_entries",
    ])
    #expect(said.status == 0 && said.output.hasPrefix("ok test_entries"), "\(said.failures)")
    #expect(page.interrupt() == 0)

    let application = try HKHealthStore.Application(
      bundleIdentifier: "org.example.reader", name: "Reader", version: "1",
      entitlements: HKHealthStore.Application.Entitlements(healthKit: true),
      healthShareUsageDescription: "To show it.", healthUpdateUsageDescription: "")
    let program = try HKHealthStore(
      configuration: .init(location: .file(path), application: application, decision: .everything))
    let found = try await quantities(
      of: [
        .bodyMass, .height, .bodyTemperature, .bloodGlucose, .oxygenSaturation, .dietaryWater,
        .stepCount,
        .bloodPressureSystolic, .bloodPressureDiastolic,
      ], in: program)
    #expect(found[.bodyMass]?.doubleValue(for: .gramUnit(with: .kilo)) == 73.2)
    #expect(found[.height]?.doubleValue(for: .meterUnit(with: .centi)) == 178)
    #expect(found[.bodyTemperature]?.doubleValue(for: .degreeCelsius()) == 37.4)
    #expect(found[.bloodGlucose]?.doubleValue(for: HKUnit(from: "mg/dL")) == 98)
    #expect(found[.oxygenSaturation]?.doubleValue(for: .percent()) == 0.97)
    #expect(found[.dietaryWater]?.doubleValue(for: .literUnit(with: .milli)) == 250)
    #expect(found[.stepCount]?.doubleValue(for: .count()) == 4000)
    #expect(found[.bloodPressureSystolic]?.doubleValue(for: .millimeterOfMercury()) == 121)
    #expect(found[.bloodPressureDiastolic]?.doubleValue(for: .millimeterOfMercury()) == 79)

    let headaches = try await HKSampleQueryDescriptor(
      predicates: [.categorySample(type: HKCategoryType(.headache))], sortDescriptors: []
    ).result(for: program)
    #expect(headaches.map(\.value) == [HKCategoryValueSeverity.severe.rawValue])
    let mindful = try await HKSampleQueryDescriptor(
      predicates: [.categorySample(type: HKCategoryType(.mindfulSession))], sortDescriptors: []
    ).result(for: program)
    #expect(mindful.map { $0.endDate.timeIntervalSince($0.startDate) } == [1800])
    let workouts = try await HKSampleQueryDescriptor(
      predicates: [.workout()], sortDescriptors: []
    ).result(for: program)
    #expect(workouts.map(\.workoutActivityType) == [.running])
    #expect(workouts.first?.totalDistance?.doubleValue(for: .meterUnit(with: .kilo)) == 5.2)
    #expect(workouts.first?.totalEnergyBurned?.doubleValue(for: .kilocalorie()) == 310)
    let pressures = try await HKSampleQueryDescriptor(
      predicates: [.correlation(type: HKCorrelationType(.bloodPressure))], sortDescriptors: []
    ).result(for: program)
    #expect(pressures.map(\.objects.count) == [2])
  }
}
