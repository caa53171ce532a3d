import AppleHealthExport
import Foundation
import HealthKit
import HealthStorage
import Testing

@testable import TestSupport

struct RoundTripTests {
  @Test(arguments: [1, 2, 3] as [UInt64])
  func `samples are the same after import, export and another import`(seed: UInt64) async throws {
    var phone = Phone(seed: seed)
    let (first, second) = (try emptyStore(), try emptyStore())
    let outcome = try await importing(phone.export(days: 2), into: first)
    #expect(outcome.isComplete && outcome.isBalanced)
    #expect(outcome.records.rejected == 0 && outcome.records.problems.isEmpty)
    let again = try await importing(try await exported(first), into: second)
    #expect(again.isComplete && again.isBalanced)
    // Compare the sums, because members of a correlation may be stored together with it or before it.
    #expect(again.stored + again.present == outcome.stored + outcome.present)
    let stories = try await stories(of: first)
    #expect(stories.count > 800)
    #expect(try await HealthKitTests.stories(of: second) == stories)
  }

  @Test func `stored samples are not stored again from an import or an export`() async throws {
    var phone = Phone(seed: 4)
    let text = phone.export(days: 1)
    let store = try emptyStore()
    let outcome = try await importing(text, into: store)
    for repeated in [text, try await exported(store)] {
      let again = try await importing(repeated, into: store)
      #expect(again.stored == 0 && again.isBalanced)
      #expect(again.present == outcome.stored + outcome.present || again.present == outcome.stored)
    }
  }

  /// In a later export, the memory address of a device is different, and possibly its version and a record's
  /// metadata.
  @Test func `a later export adds only new samples`() async throws {
    let store = try emptyStore()
    let device = { (pointer: String) in
      #"device="&lt;&lt;HKDevice: \#(pointer)&gt;, name:Apple Watch&gt;" "# + aMinute
    }
    try await importing(export(heartRate("60", device("0x1")) + heartRate("61", device("0x1"))), into: store)
    let later = heartRate("60", #"sourceVersion="12" "# + device("0x2")) + heartRate("62", device("0x3"))
    let outcome = try await importing(export(later), into: store)
    #expect(outcome.stored == 1 && outcome.present == 1)
  }

  /// The samples have times with fractions of a second, numbers in metadata, beats in ticks, and a monitor as
  /// source.
  @Test func `samples of a gateway are restored bit by bit`() async throws {
    let (first, second) = (try emptyStore(), try emptyStore())
    let monitor = HKSource(name: "Polar <H10>", bundleIdentifier: "org.hrgate.monitor.F0:0D:BE:A7:07:01")
    let metadata = try ObjectMetadata([
      "org.hrgate.late": NSNumber(value: true), "com.example.count": NSNumber(value: 3),
      "com.example.share": NSNumber(value: 2.0), "com.example.text, with=all%": "a b\n\"c\"",
      HKMetadataKeySyncIdentifier: "beats/1", HKMetadataKeySyncVersion: NSNumber(value: 7),
      HKMetadataKeyHeartRateSensorLocation: NSNumber(value: 1),
    ])
    let start = Date(timeIntervalSince1970: 1_795_241_400.123456)
    let rate = try HKQuantitySample.make(
      uuid: UUID(), type: HKQuantityType(.heartRate),
      quantity: HKQuantity(unit: HKUnit.count().unitDivided(by: .minute()), doubleValue: 61.1), start: start,
      end: start,
      device: HKDevice(
        name: "H10, the second", manufacturer: "Polar", model: nil, hardwareVersion: "3:1",
        firmwareVersion: nil,
        softwareVersion: nil, localIdentifier: "F0:0D", udiDeviceIdentifier: nil), metadata: nil)
    let beats = try HKHeartbeatSeriesSample(
      uuid: UUID(), start: start,
      beats: [0, 1001, 2050, 4099].enumerated().map {
        .init(timeIntervalSinceStart: Double($1) / 1024, precededByGap: $0 % 3 == 0)
      }, device: nil, metadata: metadata)
    let early = try HKCategorySample.make(
      uuid: UUID(), type: HKCategoryType(.mindfulSession), value: 0,
      start: Date(timeIntervalSince1970: -100_000_000.5), end: Date(timeIntervalSince1970: -99_999_999.25),
      device: nil, metadata: nil)
    try await first.acting(as: monitor).save([rate, beats, early])
    let outcome = try await importing(try await exported(first), into: second)
    #expect(outcome.stored == 3 && outcome.records.problems.isEmpty)
    #expect(try await stories(of: second) == stories(of: first))
  }

  /// Characters that XML does not allow, or that the device attribute cannot contain, are exported in another
  /// form.
  @Test func `names and metadata of any characters are restored, with product and system`()
    async throws
  {
    let (first, second) = (try emptyStore(), try emptyStore())
    let hostile = "\u{1}\u{1B}[2J\t\n\u{7F}\u{9B}&\"<'>]]>\u{FFFE}\u{202E}%,=|日"
    let metadata = try ObjectMetadata([
      "note \(hostile)": hostile, "org.hrgate.sample": "uuid=1", "plain": "as it is",
    ])
    func sample(_ device: HKDevice?) throws -> HKSample {
      try HKQuantitySample.make(
        uuid: UUID(), type: HKQuantityType(.heartRate),
        quantity: HKQuantity(unit: HKUnit.count().unitDivided(by: .minute()), doubleValue: 61),
        start: Date(timeIntervalSince1970: 1_795_241_400), end: Date(timeIntervalSince1970: 1_795_241_400),
        device: device, metadata: metadata)
    }
    func device(_ name: String?) -> HKDevice {
      HKDevice(
        name: name, manufacturer: nil, model: nil, hardwareVersion: nil, firmwareVersion: nil,
        softwareVersion: nil, localIdentifier: nil, udiDeviceIdentifier: nil)
    }
    let revision = HKSourceRevision(
      source: HKSource(name: hostile, bundleIdentifier: "com.example"), version: hostile,
      productType: "Watch6,1",
      operatingSystemVersion: OperatingSystemVersion(majorVersion: 26, minorVersion: 2, patchVersion: 1))
    let samples = try [
      sample(nil), sample(device(hostile)), sample(device("a, model:b")), sample(device(nil)),
    ]
    _ = try await first.saveNew([(revision, samples)])
    let text = try await exported(first)
    // The file contains no terminal control characters, and every XML parser accepts it.
    #expect(
      !text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || (0x7F...0x9F).contains($0.value) })
    #expect(text.contains(#"sourceName="\#u{FFFD}\#u{FFFD}[2J&#9;&#10;&#127;&#155;&amp;"#))
    let outcome = try await importing(text, into: second)
    #expect(outcome.stored == 4 && outcome.records.problems.isEmpty)
    #expect(try await stories(of: second) == stories(of: first))
    let again = try #require(try await HealthKitTests.samples(in: second).first)
    #expect(again.metadata?.count == 3 && again.sourceRevision == revision)
  }

  /// The export has only the time of day of each beat. The import derives the days from the order of the
  /// beats.
  @Test(arguments: [60, 11, 12, 13, 23, 24, 25, 49])
  func `beats on both sides of a long gap are restored`(hours: Int) async throws {
    let (first, second) = (try emptyStore(), try emptyStore())
    let gap = Double(hours == 60 ? 60 : hours * 3600)
    for start in [1_795_241_400.0, 1_795_305_599.75, 1_795_302_000] {
      let beats = [0, 1, 2, gap, gap + 1, gap + 2].enumerated().map {
        HKHeartbeatSeriesQueryDescriptor.Heartbeat(timeIntervalSinceStart: $1, precededByGap: $0 % 3 == 0)
      }
      let series = try HKHeartbeatSeriesSample(
        uuid: UUID(), start: Date(timeIntervalSince1970: start), beats: beats, device: nil, metadata: nil)
      _ = try await first.saveNew([
        (HKSourceRevision(source: HKSource(name: "S", bundleIdentifier: "s"), version: nil), [series])
      ])
    }
    let outcome = try await importing(try await exported(first), into: second)
    #expect(outcome.stored == 3 && outcome.records.problems.isEmpty)
    #expect(try await stories(of: second) == stories(of: first))
  }

  @Test func `characteristics are exported and imported`() async throws {
    var phone = Phone(seed: 5)
    let outcome = try await importing(phone.export(days: 0), into: nil)
    #expect(outcome.characteristics.map(\.value) == [19_900_517, 1, 5, 3])
  }
}
