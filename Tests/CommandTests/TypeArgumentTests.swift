import ArgumentParser
import Foundation
import HealthDataSync
import HealthKit
import Testing

@testable import hrgate

@Suite struct TypeArgumentTests {
  @Test func `every type has a short name of its own that reads back`() throws {
    let names = TypeArgument.all.map(TypeArgument.shortName)
    #expect(Set(names).count == names.count)
    for (type, name) in zip(TypeArgument.all, names) {
      #expect(TypeArgument(argument: name)?.type == type, "\(name)")
      #expect(TypeArgument(argument: type.identifier)?.type == type)
    }
    #expect(TypeArgument(argument: "heart") == nil)
  }

  @Test(arguments: [
    (["samples", "--type", "heartrate"], "did you mean heartRate?"),
    (
      ["samples", "--type", "HKQuantityTypeIdentifierHeartrate"],
      "did you mean HKQuantityTypeIdentifierHeartRate?"
    ),
    (["samples", "--type", "nothing-like-it"], "hrgate sources"),
    (["samples", "--from", "foo"], "2026-11-21T06:00:00Z"), (["stats", "--every", "1 day"], "90s, 10m, 1d"),
    (["record", "-o", "x", "--rotate-size", "5"], "100M"), (["hrv", "--window", "1s"], "10s to 1d"),
    (["goals", "set", "appleStandHours", "5", "--from", "now"], "2026-11-21"),
    (["units", "set", "heartRate", "beats"], "count/min"),
    (["scan", "--adapter", "hci0"], "00:1B:DC:0A:0B:01"),
    (["pair", "x", "--passkey", "1234567"], "six digits"), (["replay", "x", "--pace", "fast"], "10x"),
    (["replay", "x", "--measurement-handle", "0"], "1 to 65535"),
    (["replay", "x", "--monitor", "C2:A5"], "or unidentified for monitors"),
    (["permissions", "grant", "org.x", "--type", "heartRates"], "did you mean heartRate?"),
    (["people", "add", "../x"], "letters and digits"),
  ])
  func `an invalid argument is reported with its rule`(arguments: [String], rule: String) {
    do {
      _ = try HRGate.parseAsRoot(arguments)
      Issue.record("\(arguments) is taken")
    } catch {
      #expect(HRGate.message(for: error).contains(rule), "\(HRGate.message(for: error))")
      #expect(HRGate.exitCode(for: error) == .validationFailure)
    }
  }

  @Test(arguments: [
    ("heartRate", "HKQuantityTypeIdentifierHeartRate"), ("vo2Max", "HKQuantityTypeIdentifierVO2Max"),
    ("heartbeatSeries", "HKDataTypeIdentifierHeartbeatSeries"), ("workout", "HKWorkoutTypeIdentifier"),
    ("sleepAnalysis", "HKCategoryTypeIdentifierSleepAnalysis"), ("stateOfMind", "HKDataTypeStateOfMind"),
    ("bloodPressure", "HKCorrelationTypeIdentifierBloodPressure"),
  ])
  func `short names are what one would type`(name: String, identifier: String) {
    #expect(TypeArgument(argument: name)?.type.identifier == identifier)
  }

  @Test func `a category is printed with its number and its name`() throws {
    let sleep = HKCategorySample(
      type: HKCategoryType(.sleepAnalysis), value: 5, start: Date(timeIntervalSince1970: 0),
      end: Date(timeIntervalSince1970: 60))
    let json = try JSONEncoder().encode(SampleLine(sleep))
    let object = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
    #expect(object["value"] as? Double == 5)
    #expect(object["valueName"] as? String == "asleepREM")
    #expect(object["type"] as? String == "HKCategoryTypeIdentifierSleepAnalysis")
    #expect(SampleLine(sleep).text.contains("HKCategoryTypeIdentifierSleepAnalysis  asleepREM  "))
  }

  @Test func `text output describes workouts and correlations, and omits missing values`() throws {
    let (start, end) = (Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 2700))
    let run = HKWorkout(
      activityType: .running, start: start, end: end, duration: 2700,
      totalEnergyBurned: HKQuantity(unit: .kilocalorie(), doubleValue: 400.5), totalDistance: nil,
      metadata: nil)
    #expect(SampleLine(run).text.contains("HKWorkoutTypeIdentifier  running, 45 min, 400.5 kcal  "))
    let pressures: Set<HKSample> = Set(
      [(HKQuantityTypeIdentifier.bloodPressureSystolic, 120.0), (.bloodPressureDiastolic, 80)].map {
        type, value in
        HKQuantitySample(
          type: HKQuantityType(type), quantity: HKQuantity(unit: .millimeterOfMercury(), doubleValue: value),
          start: start, end: start)
      })
    let both = HKCorrelation(
      type: HKCorrelationType(.bloodPressure), start: start, end: start, objects: pressures)
    #expect(
      SampleLine(both).text.contains("bloodPressureDiastolic 80.0 mmHg, bloodPressureSystolic 120.0 mmHg  "))
    for sample in [run, both] { #expect(!SampleLine(sample).text.contains(" 0.0 ")) }
  }
}
