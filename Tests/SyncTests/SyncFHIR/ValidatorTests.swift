import Foundation
import HealthDataSync
import Testing

@testable import ExternalStores
@testable import HealthKit
@testable import TestSupport

/// Validates resources against the R4 definitions of the Python package fhir.resources.
@Suite(.enabled(if: Validator.isInstalled, "skipped: run scripts/fhir-validator"), .timeLimit(.minutes(30)))
struct ValidatorTests {
  private static let mappings = [
    ObservationMapping(
      subject: FHIR.Reference(reference: "Patient/123"),
      performer: FHIR.Reference(reference: "Practitioner/7")),
    ObservationMapping(
      subject: FHIR.Reference(type: "Patient", identifier: FHIR.Identifier(value: "Ada"), display: "Ada"),
      performer: nil),
  ]

  @Test func `a sample of each quantity and category type is a valid Observation`() throws {
    let quantities = HKSampleType.known.compactMap { $0 as? HKQuantityType }
    let categories = HKSampleType.known.compactMap { $0 as? HKCategoryType }
    #expect(quantities.count > 100 && categories.count > 50)
    let samples: [HKSample] =
      quantities.map {
        HKQuantitySample(
          type: $0, quantity: HKQuantity(unit: $0.canonicalUnit, doubleValue: 0.5), start: start,
          end: start.addingTimeInterval(60), device: strap, metadata: metadata(of: $0))
      }
      + categories.map {
        HKCategorySample(
          type: $0, value: $0.traits.values.min() ?? 0, start: start, end: start.addingTimeInterval(60),
          metadata: metadata(of: $0))
      }
    try Validator.check(entries(of: samples.map { ExternalRecord(sample: $0) }))
  }

  /// Returns the metadata that a type requires, or nil if it requires none.
  private func metadata(of type: HKSampleType) -> [String: Any]? {
    type.requiredMetadataKey.map { [$0: 1 as NSNumber] }
  }

  @Test func `observations with components, beats and series are valid`() throws {
    let pressure = HKCorrelation(
      type: HKCorrelationType(.bloodPressure), start: start, end: start,
      objects: [
        quantity(.bloodPressureSystolic, 121, "mmHg"), quantity(.bloodPressureDiastolic, 79, "mmHg"),
      ])
    let food = HKCorrelation(
      type: HKCorrelationType(.food), start: start, end: start,
      objects: [quantity(.dietarySugar, 20, "g"), quantity(.dietaryEnergyConsumed, 300, "kcal")],
      metadata: [HKMetadataKeyFoodType: "Ham\u{0}burger"])
    let many = ExternalRecord(
      sample: quantity(.heartRate, 80, "count/min"),
      series: .quantities(
        (0..<3).map {
          .init(value: 80, interval: DateInterval(start: start.addingTimeInterval(Double($0)), duration: 0))
        }))
    let goesOn = HKCategorySample(
      type: HKCategoryType(.contraceptive), value: 1, start: start, end: .distantFuture)
    let records = [
      ExternalRecord(sample: pressure), ExternalRecord(sample: food), many, ExternalRecord(sample: goesOn),
      try series([(0, true), (0.8, false), (3.25, true)], device: strap),
      ExternalRecord(sample: heartRate(metadata: [HKMetadataKeyTimeZone: "Asia/Kathmandu"])),
    ]
    try Validator.check(entries(of: records))
  }

  private static let condition = ObservationCondition(subject: "Patient/123")

  @Test func `a device, a change and a withdrawal are valid entries`() throws {
    let identifier = try #require(strap.bluetoothIdentifier)
    let name = DeviceOwnership.identifier(of: identifier, owner: "a \u{1} gateway")
    var device = FHIR.Device(strap)
    device.identifier = [identifier, name]
    let changed = try Self.mappings[0].observation(of: ExternalRecord(sample: heartRate())) { _ in nil }
    let uuid = UUID()
    let withdrawn = Self.mappings.map {
      Withdrawal.observation(uuid, of: HKQuantityType(.heartRate), subject: $0.subject, by: "a \u{1} gateway")
    }
    let found = try JSONDecoder().decode(
      SearchResponse.Found.self,
      from: Data(#"{"resourceType":"Observation","id":"1","meta":{"versionId":"2"}}"#.utf8))
    let version = try #require(ResourceVersion(found))
    let changes: [TransactionEntry] = [
      .create(device, identifier), .update(device, name), .update(device, over: version),
      .update(changed, uuid, Self.condition), .update(changed, over: version),
    ]
    try Validator.check(changes + withdrawn.map { .update($0, uuid, Self.condition) })
  }

  @Test func `the validator finds an error: two times in one observation`() throws {
    var observation = try Self.mappings[0].observation(of: ExternalRecord(sample: heartRate())) { _ in nil }
    observation.effectivePeriod = FHIR.Period(start: "2026-11-21T06:09:00Z")
    let faults = try Validator.faults([.create(observation, UUID(), Self.condition)])
    #expect(!faults.isEmpty)
  }

  /// Returns the entries of the records for each kind of subject, with and without a Device on the server.
  private func entries(of records: [ExternalRecord]) throws -> [TransactionEntry] {
    try Self.mappings.flatMap { mapping in
      try [FHIR.Reference(reference: "Device/1"), nil].flatMap { reference in
        try records.map {
          .create(try mapping.observation(of: $0) { _ in reference }, $0.sample.uuid, Self.condition)
        }
      }
    }
  }
}

/// Runs `validate.py` in the environment of `scripts/fhir-validator`.
enum Validator {
  static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: python) }

  private static let python: String = {
    let environment = ProcessInfo.processInfo.environment
    let cache = environment["XDG_CACHE_HOME"] ?? (environment["HOME"] ?? "/tmp") + "/.cache"
    return cache + "/hrgate/fhir-validator/bin/python"
  }()

  static func check(_ entries: [TransactionEntry]) throws {
    #expect(try faults(entries) == "")
  }

  /// Returns the errors of each resource, and of all resources as a Bundle.
  static func faults(_ entries: [TransactionEntry]) throws -> String {
    let encoder = JSONEncoder()
    let changes = try entries.map { try TransactionChange(UUID(), $0) }
    let resources = try entries.compactMap { try $0.resource.map { try encoder.encode($0) } }
    let lines = (resources + [Transactions.bundle(changes)]).map { $0 + Data("\n".utf8) }
    let process = Process()
    process.executableURL = URL(filePath: python)
    process.arguments = [
      URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Support/validate.py").path
    ]
    let file = FileManager.default.temporaryDirectory.appending(path: "fhir-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try lines.reduce(Data(), +).write(to: file)
    process.standardInput = try FileHandle(forReadingFrom: file)
    let said = try process.output()
    #expect(process.terminationStatus == 0)
    return String(decoding: said, as: UTF8.self)
  }
}
