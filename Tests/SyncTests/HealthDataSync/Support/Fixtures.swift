import Foundation
import HealthDataSync
import HealthKit

let pulse = HKQuantityType(.heartRate)
let energy = HKQuantityType(.activeEnergyBurned)
let beatsPerMinute = HKUnit(from: "count/min")

func heartRate(_ value: Double, at time: TimeInterval, metadata: [String: Any]? = nil) -> HKQuantitySample {
  let date = Date(timeIntervalSince1970: 1_700_000_000 + time)
  return HKQuantitySample(
    type: pulse, quantity: HKQuantity(unit: beatsPerMinute, doubleValue: value), start: date, end: date,
    metadata: metadata)
}

func burned(_ value: Double, at time: TimeInterval) -> HKQuantitySample {
  let date = Date(timeIntervalSince1970: 1_700_000_000 + time)
  return HKQuantitySample(
    type: energy, quantity: HKQuantity(unit: .kilocalorie(), doubleValue: value), start: date,
    end: date.addingTimeInterval(1))
}

func destination(
  _ name: String = "d", types: Set<HKSampleType>? = nil, excluding excluded: Set<HKSampleType> = [],
  sources: Set<String>? = nil, from: Date? = nil
) -> SyncDestination {
  SyncDestination(
    name: name, address: "file:///tmp/\(name)", types: types, excludedTypes: excluded, sources: sources,
    from: from,
    identity: ExternalIdentity(person: "me", gateway: "here"))
}

extension HKHealthStore {
  /// Returns the UUIDs of all samples of these types.
  func uuids(of types: [HKSampleType]) async throws -> Set<UUID> {
    var all: Set<UUID> = []
    for type in types {
      let samples = try await HKSampleQueryDescriptor(
        predicates: [.sample(type: type)], sortDescriptors: []
      ).result(for: self)
      all.formUnion(samples.map(\.uuid))
    }
    return all
  }

  func status(_ name: String = "d") async throws -> SyncStatus? {
    try await SyncDestinations(self).status().first { $0.name == name }
  }
}

extension SyncPolicy {
  static func pages(of count: Int, bytes: Int = 4 << 20) -> SyncPolicy {
    var policy = SyncPolicy()
    policy.pageCount = count
    policy.pageBytes = bytes
    return policy
  }
}
