import AppleHealthExport
import Foundation
import HealthKit
import Synchronization
import Testing

@testable import TestSupport

/// Returns an empty store with unrestricted access, which no other process can see.
func emptyStore() throws -> HKHealthStore { try HKHealthStore.unnamed() }

/// Imports a document.
@discardableResult
func importing(_ text: String, into store: HKHealthStore?) async throws -> ImportOutcome {
  let folder = try TemporaryFolder()
  return await AppleHealthImport(path: try folder.file("export.xml", Array(text.utf8))).run(into: store)
}

/// Returns the output of `hrgate export --format apple-health-xml`.
func exported(_ store: HKHealthStore) async throws -> String {
  let collected = Collected()
  var writer = AppleHealthWriter(zone: try #require(TimeZone(identifier: "Europe/Berlin"))) {
    collected.append($0)
  }
  try writer.begin(at: Date(timeIntervalSince1970: 1_795_241_400), StatedCharacteristic.all(in: store))
  for sample in try await samples(in: store) { #expect(try writer.write(sample), "\(sample)") }
  try writer.end()
  return collected.text
}

private final class Collected: Sendable {
  private let pieces = Mutex<[String]>([])
  func append(_ piece: String) { pieces.withLock { $0.append(piece) } }
  var text: String { pieces.withLock { $0.joined() } }
}

func samples(in store: HKHealthStore) async throws -> [HKSample] {
  var all: [HKSample] = []
  for type in HKSampleType.known {
    all += try await store.reduceSamples(into: [], [HKSamplePredicate<HKSample>.sample(type: type)]) {
      $0.append($1)
    }
  }
  return all
}

/// Returns all values of all samples, to compare two stores.
func stories(of store: HKHealthStore) async throws -> [String] {
  try await samples(in: store).map(story)
}

private func story(_ sample: HKSample) -> String {
  let revision = sample.sourceRevision
  var text =
    "\(sample.uuid) \(sample.sampleType.identifier) \(sample.startDate.timeIntervalSince1970) \(sample.endDate.timeIntervalSince1970) "
    + "\(revision.source.name) \(revision.source.bundleIdentifier) \(revision.version ?? "-") "
    + "\(revision.productType ?? "-") \(revision.operatingSystemVersion) "
    + "\(sample.device?.description ?? "-") "
    + (sample.metadata ?? [:]).map { "\($0)=\($1)" }.sorted().joined(separator: ";")
  switch sample {
  case let sample as HKQuantitySample:
    text += " \(sample.quantity.doubleValue(for: sample.quantity.unit)) \(sample.quantity.unit.unitString)"
  case let sample as HKCategorySample: text += " \(sample.value)"
  case let sample as HKHeartbeatSeriesSample:
    text += (sample.heartbeats ?? []).map { " \($0.timeIntervalSinceStart)\($0.precededByGap ? "|" : "")" }
      .joined()
  case let sample as HKCorrelation: text += sample.objects.map(\.uuid.uuidString).sorted().joined()
  case let sample as HKWorkout:
    text +=
      " \(sample.workoutActivityType.rawValue) \(sample.duration) \(sample.totalEnergyBurned?.description ?? "-") "
      + "\(sample.totalDistance?.description ?? "-") "
      + (sample.workoutEvents ?? []).map { "\($0.type.rawValue)@\($0.dateInterval)" }.joined(separator: ",")
      + sample.workoutActivities.map { "\($0.uuid) \($0.startDate)" }.joined()
  default: break
  }
  return text
}

/// Returns an export with these records.
func export(_ records: String) -> String { Phone.heading + records + "</HealthData>\n" }

let aMinute = #"startDate="2026-01-01 08:00:00 +0100" endDate="2026-01-01 08:01:00 +0100""#

func heartRate(_ value: String = "60", _ rest: String = aMinute, holding content: String = "") -> String {
  #"<Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Watch" unit="count/min" \#(rest) value="\#(value)">\#(content)</Record>"#
    + "\n"
}
