import Foundation
import HealthKit
import Testing

@testable import TestSupport

/// Tests `hrgate add` and `hrgate delete --uuid` on the command line.
@Suite struct AddTests {
  private let folder: TemporaryFolder
  private let store: String

  init() throws {
    folder = try TemporaryFolder()
    store = folder.path("s.sqlite")
  }

  private func hrgate(_ arguments: String...) throws -> CommandResult {
    try Command.hrgate(arguments + ["--store", store])
  }

  private func added(_ arguments: String...) throws -> UUID {
    let result = try Command.hrgate(["add"] + arguments + ["--store", store])
    #expect(result.status == 0 && result.errors.isEmpty, "\(arguments): \(result)")
    return try #require(UUID(uuidString: result.output.trimmingCharacters(in: .newlines)))
  }

  /// Opens the store as a program with all permissions.
  private func program() throws -> HKHealthStore {
    try HKHealthStore(
      configuration: .init(
        location: .file(store), application: .init(bundleIdentifier: "org.example.reader", name: "Reader"),
        decision: .everything))
  }

  @Test func `a program reads an added sample and its deletion, and an export transfers it to another store`()
    async throws
  {
    let uuid = try added("bodyMass", "73.2", "kg", "--at", "2026-01-01T07:00+01:00")
    let pressure = try added("bloodPressure", "121/79", "--at", "2026-01-01T07:05+01:00")
    _ = try added("sleepAnalysis", "deep", "--from", "2026-01-01T01:00Z", "--to", "2026-01-01T02:10Z")
    let run = ["workout", "running", "--from", "2026-01-01T07:00Z", "--to", "2026-01-01T07:52Z"]
    let workout = try Command.hrgate(["add"] + run + ["--distance", "9.6km", "--json", "--store", store])
    #expect(try #require(workout.objects().first)["activityType"] as? String == "running")

    let program = try program()
    let mass = HKQuantityType(.bodyMass)
    func changes(_ anchor: HKQueryAnchor?) async throws
      -> HKAnchoredObjectQueryDescriptor<
        HKQuantitySample
      >.Result
    {
      try await HKAnchoredObjectQueryDescriptor(
        predicates: [.quantitySample(type: mass)], anchor: anchor
      ).result(for: program)
    }
    let first = try await changes(nil)
    let sample = try #require(first.addedSamples.first)
    #expect(first.addedSamples.count == 1 && sample.uuid == uuid && sample.quantityType == mass)
    #expect(sample.quantity.doubleValue(for: .gramUnit(with: .kilo)) == 73.2)
    #expect(sample.startDate == Date(timeIntervalSince1970: 1_767_247_200))
    #expect(sample.metadata?[HKMetadataKeyWasUserEntered] as? Bool == true)
    #expect(sample.sourceRevision.source.name == "Health")
    #expect(sample.sourceRevision.source.bundleIdentifier == "org.hrgate.health")
    let correlation = try await HKSampleQueryDescriptor(
      predicates: [.correlation(type: HKCorrelationType(.bloodPressure))], sortDescriptors: []
    ).result(for: program)
    #expect(correlation.map(\.uuid) == [pressure] && correlation.first?.objects.count == 2)

    let export = folder.path("export.xml")
    #expect(try hrgate("export", "--format", "apple-health-xml", "-o", export).status == 0)
    #expect(try String(contentsOfFile: export, encoding: .utf8).contains("HKWasUserEntered"))
    let other = folder.path("other.sqlite")
    #expect(try Command.hrgate("import", export, "--store", other).status == 0)
    #expect(
      try Command.hrgate("samples", "--json", "--store", other).output == hrgate("samples", "--json").output)

    let deleted = try hrgate("delete", "--uuid", uuid.uuidString, "--yes")
    #expect(deleted.status == 0 && deleted.output.contains("deleted: 1 sample"), "\(deleted)")
    let second = try await changes(first.newAnchor)
    #expect(second.addedSamples.isEmpty && second.deletedObjects.map(\.uuid) == [uuid])

    // `hrgate delete --uuid` deletes an imported sample in the same way.
    let imported = try Command.hrgate("delete", "--uuid", uuid.uuidString, "--yes", "--store", other)
    #expect(imported.status == 0 && imported.output.contains("deleted: 1 sample"), "\(imported)")
  }

  @Test func `deleting by UUID asks first, and one unknown UUID deletes nothing`() throws {
    let pressure = try added("bloodPressure", "121/79").uuidString
    let mass = try added("bodyMass", "73").uuidString
    let no = try Command.hrgate("delete", "--uuid", mass, "--store", store, typing: "n\n")
    #expect(no.status == 1 && no.output.contains("1 × bodyMass") && no.errors.contains("nothing was deleted"))
    let unknown = try hrgate("delete", "--uuid", mass, "--uuid", UUID().uuidString, "--yes")
    #expect(unknown.status == 1 && unknown.errors.contains("no sample has the UUID"))
    #expect(try Samples(store: store).objects.count == 4)
    let both = try hrgate("delete", "--uuid", mass, "--uuid", pressure, "--yes")
    #expect(both.output.contains("deleted: 4 samples"))
    #expect(try hrgate("delete", "--uuid", mass, "--type", "bodyMass").status == 2)
    #expect(try hrgate("delete", "--uuid", "nonsense").status == 2)
  }

  @Test(arguments: [
    (["weight", "73"], "did you mean bodyMass?"), (["bodymas", "73"], "did you mean bodyMass?"),
    (["bodyMass", "73", "count/min"], "cannot be expressed in count/min"),
    (["bodyMass", "7320"], "from 0.1 to 1000 kg"), (["bodyMass"], "needs a value"),
    (["workout", "runing", "--from", "2026-01-01T07:00Z", "--to", "2026-01-01T07:52Z"], "mean running?"),
    (["headache", "sever"], "did you mean severe?"), (["heartbeatSeries", "1"], "only a device"),
    (["bodyMass", "73", "--at", "2999-01-01"], "in the future"),
    (["bodyMass", "73", "--at", "2026-01-01", "--from", "2026-01-01"], "--at"),
    (["bodyMass", "73", "--to", "2026-01-01"], "--to requires --from"),
    (["bodyMass", "73", "--from", "2026-01-02", "--to", "2026-01-01"], "before the start"),
    (["insulinDelivery", "4"], "basal or bolus"),
    (["bodyMass", "73", "--energy", "3kcal"], "only a workout"),
  ])
  func `invalid samples are a usage error and create no store`(arguments: [String], text: String) throws {
    let result = try Command.hrgate(["add"] + arguments + ["--store", store])
    #expect(result.status == 2 && result.errors.contains(text), "\(arguments): \(result)")
    #expect(!FileManager.default.fileExists(atPath: store))
  }

  @Test func `an unusual value is stored after a yes, or with an option`() throws {
    let no = try Command.hrgate("add", "bodyMass", "732", "kg", "--store", store, typing: "n\n")
    #expect(no.status == 1 && no.errors.contains("from 2 to 300 kg"), "\(no)")
    #expect(no.errors.contains("nothing was added"), "\(no)")
    let yes = try Command.hrgate("add", "bodyMass", "732", "kg", "--store", store, typing: "y\n")
    #expect(yes.status == 0, "\(yes)")
    _ = try added("bodyMass", "1", "kg", "--yes")
    #expect(try Samples(store: store).objects.count == 2)
  }

  @Test func `a number without a unit has the unit that the user chose`() async throws {
    _ = try added("bodyMass", "70", "kg")
    #expect(try hrgate("units", "set", "bodyMass", "lb").status == 0)
    _ = try added("bodyMass", "150")
    // The height is added without a unit. 180 is valid in cm, and out of range in m.
    #expect(try hrgate("units", "set", "height", "cm").status == 0)
    _ = try added("height", "180")
    let units = try Samples(store: store).objects.compactMap { $0["unit"] as? String }
    #expect(units.sorted() == ["cm", "kg", "lb"])
  }
}
