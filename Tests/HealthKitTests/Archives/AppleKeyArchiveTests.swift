import Testing

@testable import HealthKit

/// Tests archives of samples with the keys of Apple's framework: `UUID`, `Metadata`, `SourceRevision`,
/// `Device`, `StartTS`, `EndTS`, `DataType`, `Quantity`, `Count`, and `Code` of a type. The archive was
/// assembled by hand from public information, because no archive of Apple's framework was available.
@Suite struct AppleKeyArchiveTests {
  private static let archive: URL = {
    var root = URL(filePath: #filePath)
    for _ in 0..<4 { root.deleteLastPathComponent() }
    return root.appending(path: "Fuzz/Seeds/healthkit-apple-heart-rate.bplist")
  }()

  private func read(_ data: Data) -> HKQuantitySample? {
    try? NSKeyedUnarchiver.unarchivedObject(ofClass: HKQuantitySample.self, from: data)
  }

  /// Returns the archive with changes to the objects that have a key.
  private func changed(_ key: String, _ change: (inout [String: Any]) -> Void) throws -> Data {
    let list = try PropertyListSerialization.propertyList(from: Data(contentsOf: Self.archive), format: nil)
    var root = try #require(list as? [String: Any])
    let objects = try #require(root["$objects"] as? [Any])
    var count = 0
    root["$objects"] = objects.map { object -> Any in
      guard var fields = object as? [String: Any], fields[key] != nil else { return object }
      change(&fields)
      count += 1
      return fields
    }
    #expect(count == 1)
    return try PropertyListSerialization.data(fromPropertyList: root, format: .binary, options: 0)
  }

  @Test func `a sample with Apple's keys is read completely`() throws {
    let sample = try #require(read(Data(contentsOf: Self.archive)))
    #expect(sample is HKDiscreteQuantitySample)
    #expect(sample.uuid == UUID(uuidString: "4D0E2B5C-8A41-4F6E-9C53-0B8F5E0D7A11"))
    #expect(sample.quantityType == HKQuantityType(.heartRate))
    #expect(sample.quantity == HKQuantity(unit: beatsPerMinute, doubleValue: 72))
    #expect(sample.count == 1)
    #expect(sample.startDate == Date(timeIntervalSinceReferenceDate: 721_692_800.5))
    #expect(sample.endDate == Date(timeIntervalSinceReferenceDate: 721_692_801.25))
    #expect(sample.metadata?.count == 2)
    #expect(sample.metadata?[HKMetadataKeyHeartRateSensorLocation] as? Int == 1)
    #expect(sample.metadata?["note"] as? String == "after the stairs")
    #expect(sample.device?.name == "Watch" && sample.device?.hardwareVersion == "Watch6,1")
    #expect(sample.device?.model == nil)
    let revision = sample.sourceRevision
    #expect(revision.source.name == "Watch" && revision.source.bundleIdentifier == "com.apple.health.0001")
    #expect(revision.version == "10.1" && revision.productType == "Watch6,1")
    #expect(revision.operatingSystemVersion.majorVersion == 10)
    #expect(revision.operatingSystemVersion.patchVersion == 1)
  }

  @Test func `a read sample can be saved, and archived with this module's keys`() async throws {
    let sample = try #require(read(Data(contentsOf: Self.archive)))
    let store = try HKHealthStore.inMemory()
    try await store.save(sample)
    #expect(try await everyHeartRate().result(for: store).map(\.uuid) == [sample.uuid])
    let again = try #require(try archived(sample))
    #expect(again == sample && again.quantity == sample.quantity && again.startDate == sample.startDate)
  }

  @Test func `a sample without metadata, device or source is read`() throws {
    let bare = try changed("StartTS") { fields in
      for key in ["Metadata", "Device", "SourceRevision"] { fields[key] = nil }
    }
    #expect(read(bare)?.metadata == nil && read(bare)?.uuid != nil)
  }

  @Test(arguments: ["StartTS", "EndTS", "DataType", "Quantity", "UUID"])
  func `missing required values are an error`(_ key: String) throws {
    #expect(read(try changed("StartTS") { $0[key] = nil }) == nil)
  }

  @Test func `a type with an unknown code is rejected`() throws {
    #expect(read(try changed("Code") { $0["Code"] = 7777 }) == nil)
    // Code 7 is the step count, whose unit is not that of a heart rate.
    #expect(read(try changed("Code") { $0["Code"] = 7 }) == nil)
    // Code 63 is a category type, which is invalid for a quantity.
    #expect(read(try changed("Code") { $0["Code"] = 63 }) == nil)
  }

  @Test func `a series is read with its count, and cannot be saved without its quantities`() async throws {
    let series = try #require(read(try changed("StartTS") { $0["Count"] = 40 }) as? HKDiscreteQuantitySample)
    #expect(series.count == 40)
    #expect(series.minimumQuantity == series.quantity && series.maximumQuantity == series.quantity)
    #expect(series.mostRecentQuantityDateInterval.end == series.endDate)
    let store = try HKHealthStore.inMemory()
    await expectFailure(.errorInvalidArgument) { try await store.save(series) }
    #expect(read(try changed("StartTS") { $0["Count"] = 0 }) == nil)
  }

  @Test func `a source is found under any matching key`() throws {
    let renamed = try changed("BundleIdentifier") { fields in
      fields["HKSourceBundleID"] = fields.removeValue(forKey: "BundleIdentifier")
      fields["HKSourceName"] = fields.removeValue(forKey: "Name")
    }
    #expect(read(renamed)?.sourceRevision.source.bundleIdentifier == "com.apple.health.0001")
    #expect(read(renamed)?.sourceRevision.source.name == "Watch")
    let revision = try changed("ProductType") { fields in
      fields["HKRevisionVersion"] = fields.removeValue(forKey: "Version")
      fields["HKRevisionSource"] = fields.removeValue(forKey: "Source")
      // Replace the operating system version by an object of another class.
      fields["OperatingSystemVersion"] = 7
    }
    #expect(read(revision)?.sourceRevision.version == "10.1")
    #expect(read(revision)?.sourceRevision.source.name == "Watch")
    #expect(read(revision)?.sourceRevision.operatingSystemVersion.majorVersion == 0)
  }

  @Test(
    arguments: [
      ["OperatingSystemMajorVersion", "OperatingSystemMinorVersion", "OperatingSystemPatchVersion"],
      ["OSVersionMajor", "OSVersionMinor", "OSVersionPatch"],
      ["majorVersion", "minorVersion", "patchVersion"],
      ["OperatingSystemVersion0", "OperatingSystemVersion1", "OperatingSystemVersion2"],
    ])
  func `the version of the operating system is read from three integers`(keys: [String]) throws {
    let archive = try changed("ProductType") { fields in
      fields["OperatingSystemVersion"] = nil
      for (key, number) in zip(keys, [17, 5, 1]) { fields[key] = number }
    }
    let sample = try #require(read(archive))
    #expect(sample.sourceRevision.operatingSystemVersion.text == "17.5.1")
    #expect(sample.sourceRevision.version == "10.1" && sample.sourceRevision.productType == "Watch6,1")
    #expect(try archived(sample)?.sourceRevision == sample.sourceRevision)
  }

  @Test func `a version of two integers has patch 0, and other values are not read`() throws {
    func version(_ numbers: [String: Any]) throws -> String? {
      let archive = try changed("ProductType") { fields in
        fields["OperatingSystemVersion"] = nil
        fields.merge(numbers) { $1 }
      }
      return read(archive)?.sourceRevision.operatingSystemVersion.text
    }
    #expect(try version(["OSMajor": 9, "OSMinor": 3]) == "9.3.0")
    #expect(try version(["OSMajor": 9.5, "OSMinor": 3]) == "0.0.0")
    #expect(try version(["a": 9, "b": 3]) == "0.0.0")
    #expect(try version([:]) == "0.0.0")
  }

  @Test func `every code of a type is read`() throws {
    let rows = try FactTable.rows("type-codes.tsv")
    #expect(rows.count == TypeCodes.identifiers.count)
    for row in rows {
      let (code, raw) = (try #require(row["code"].flatMap { Int($0) }), try #require(row["raw_value"]))
      #expect(TypeCodes.identifiers[code] == raw)
      #expect(ObjectTypes.type(raw)?.identifier == raw, "\(raw)")
    }
  }

  @Test func `no damage causes a crash`() throws {
    let data = try Data(contentsOf: Self.archive)
    for index in data.indices {
      for flip in [UInt8(0x01), 0x10, 0xFF] {
        var damaged = data
        damaged[index] ^= flip
        _ = read(damaged)
      }
    }
  }
}
