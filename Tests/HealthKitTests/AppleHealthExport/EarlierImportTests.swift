import Foundation
import HealthKit
import HealthStorage
import Testing

@testable import AppleHealthExport
@testable import TestSupport

/// Tests records that were imported before with another unit or another name of their source.
struct EarlierImportTests {
  private func record(
    _ type: String, _ value: String, _ unit: String, source: String = "Watch", at minute: Int = 0
  ) -> String {
    let times = String(
      format: #"startDate="2026-04-01 08:%02d:00 +0200" endDate="2026-04-01 08:%02d:30 +0200""#, minute,
      minute)
    return
      #"<Record type="HKQuantityTypeIdentifier\#(type)" sourceName="\#(source)" unit="\#(unit)" \#(times) value="\#(value)"/>"#
      + "\n"
  }

  @Test(arguments: [
    ("DistanceWalkingRunning", "1.21", "km", "0.751859", "mi"), ("BodyMass", "70.3", "kg", "154.985", "lb"),
    ("BodyMass", "70.3", "kg", "11.0703", "st"), ("ActiveEnergyBurned", "12.345", "kcal", "51.6515", "kJ"),
    ("BloodGlucose", "110", "mg/dL", "6.10582", "mmol&lt;180.1558800000541&gt;/L"),
    ("BodyTemperature", "36.8", "degC", "98.24", "degF"), ("Height", "172", "cm", "5.64304", "ft"),
    ("Height", "172", "cm", "67.7165", "in"), ("DietaryWater", "250", "mL", "8.4535", "fl_oz_us"),
    ("BodyTemperature", "0", "degC", "32", "degF"), ("DistanceCycling", "0", "km", "0", "mi"),
    ("DistanceCycling", "2", "mi", "3.218688000000001", "km"),
    ("BodyMassIndex", "23.1", "count", "23.1", "count"),
    ("DistanceWalkingRunning", "0.751859", "mi", "0.7518591624", "mi"),
    ("StepCount", "1234567", "count", "1.23457e+06", "count"),
  ])
  func `a record in another unit is the same record, in both directions`(
    type: String, value: String, unit: String, otherValue: String, otherUnit: String
  ) async throws {
    let (one, other) = (record(type, value, unit), record(type, otherValue, otherUnit))
    for (first, second) in [(one, other), (other, one)] {
      let store = try emptyStore()
      try await importing(export(first), into: store)
      let before = try await stories(of: store)
      let outcome = try await importing(export(second), into: store)
      #expect(outcome.stored == 0 && outcome.present == 1 && outcome.isBalanced && outcome.renamed.isEmpty)
      #expect(try await stories(of: store) == before)
    }
  }

  @Test(arguments: [
    // Values that differ: in the same unit, or in another unit by more than its precision.
    ("1.21", "km", "1.21001", "km"), ("1.21", "km", "0.751865", "mi"), ("61", "m", "62", "m"),
    ("0", "km", "0.000001", "mi"),
  ])
  func `records with different values are different`(
    value: String, unit: String, otherValue: String, otherUnit: String
  ) async throws {
    let store = try emptyStore()
    let type = "DistanceWalkingRunning"
    try await importing(export(record(type, value, unit)), into: store)
    let outcome = try await importing(export(record(type, otherValue, otherUnit)), into: store)
    #expect(outcome.stored == 1)
  }

  @Test func `within one export each record counts separately`() async throws {
    let records = ["60", "61", "60.0001"].map { record("HeartRate", $0, "count/min") }.joined()
    let outcome = try await importing(export(records), into: emptyStore())
    #expect(outcome.stored == 3)
  }

  @Test func `another time, type or source is another record`() async throws {
    let store = try emptyStore()
    try await importing(export(record("DistanceWalkingRunning", "1.21", "km")), into: store)
    let others =
      record("DistanceWalkingRunning", "0.751859", "mi", at: 1) + record("DistanceCycling", "0.751859", "mi")
      + record("DistanceWalkingRunning", "0.751859", "mi", source: "Phone")
      + record("DistanceWalkingRunning", "1.21", "km")
    let outcome = try await importing(export(others), into: store)
    #expect(outcome.stored == 3 && outcome.present == 1)
  }

  /// A correlation is identified by its members, whose units may differ between exports.
  @Test func `a meal in another unit is the same meal`() async throws {
    func meal(_ energy: String, _ unit: String, sugar: String = "12.5") -> String {
      let parts = record("DietaryEnergyConsumed", energy, unit) + record("DietarySugar", sugar, "g")
      let times = #"startDate="2026-04-01 08:00:00 +0200" endDate="2026-04-01 08:00:30 +0200""#
      return parts
        + #"<Correlation type="HKCorrelationTypeIdentifierFood" sourceName="Watch" \#(times)>\#(parts)</Correlation>"#
    }
    let store = try emptyStore()
    #expect(try await importing(export(meal("500", "kcal")), into: store).stored == 3)
    let before = try await stories(of: store)
    for text in [meal("2092", "kJ"), meal("500", "kcal"), meal("2092", "kJ")] {
      let outcome = try await importing(export(text), into: store)
      #expect(outcome.stored == 0 && outcome.isBalanced)
      #expect(try await stories(of: store) == before)
    }
    // Import another meal at the same time. One of its members is already stored.
    let outcome = try await importing(export(meal("2092", "kJ", sugar: "13")), into: store)
    #expect(outcome.stored == 2 && outcome.isBalanced)
    let meals = try await samples(in: store).compactMap { $0 as? HKCorrelation }
    #expect(meals.map(\.objects.count) == [2, 2])
    #expect(Set(meals.flatMap(\.objects).map(\.uuid)).count == 3)
  }

  @Test func `records that a gateway packed are found`() async throws {
    let store = try emptyStore()
    func rates(_ unit: String, _ factor: Double) -> String {
      (0..<100).map { index in
        let time = String(format: "2026-04-01 08:%02d:%02d +0200", index / 60, index % 60)
        let value = NumberText.text(Double(60 + index) / factor)
        return
          #"<Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Watch" unit="\#(unit)" startDate="\#(time)" endDate="\#(time)" value="\#(value)"/>"#
      }.joined()
    }
    #expect(try await importing(export(rates("count/min", 1)), into: store).stored == 100)
    let database = try store.systemDatabase()
    for hour in try await database.packableHours(in: 0..<Int64.max / 2) {
      guard case .packed(100, 1, 100, _) = try await database.packHour(hour) else {
        Issue.record("not packed")
        return
      }
    }
    let outcome = try await importing(export(rates("count/s", 60)), into: store)
    #expect(outcome.stored == 0 && outcome.present == 100)
  }

  // MARK: - Names

  private func rates(_ source: String, _ range: Range<Int>) -> String {
    range.map { record("HeartRate", "\(60 + $0)", "count/min", source: source, at: $0) }.joined()
  }

  @Test func `a source that was renamed on the phone is reported`() async throws {
    let store = try emptyStore()
    try await importing(export(rates("Ann's Watch", 0..<20)), into: store)
    let outcome = try await importing(export(rates("Ann’s Apple Watch", 0..<30)), into: store)
    #expect(outcome.stored == 30 && outcome.renamed.count == 1)
    let renamed = try #require(outcome.renamed.first)
    #expect(
      renamed.name == "Ann’s Apple Watch" && renamed.earlierName == "Ann's Watch" && renamed.samples == 20)
    #expect(renamed.earlierBundleIdentifier == RecordIdentity.bundleIdentifier(ofSource: "Ann's Watch"))
    // The new name of the source is stored, so it is not reported as renamed again.
    let again = try await importing(export(rates("Ann’s Apple Watch", 0..<40)), into: store)
    #expect(again.renamed.isEmpty && again.stored == 10)
  }

  @Test func `two sources with equal values are not reported as renamed`() async throws {
    let store = try emptyStore()
    let first = rates("Scale", 0..<5)
    try await importing(export(first), into: store)
    let outcome = try await importing(export(first + rates("Diary", 0..<5)), into: store)
    #expect(outcome.renamed.isEmpty && outcome.stored == 5)
    let unrelated = try await importing(export(rates("New", 10..<20)), into: store)
    #expect(unrelated.renamed.isEmpty && unrelated.stored == 10)
  }
}
