import Foundation
import HealthDataSync
import HealthKit

@testable import ExternalStores

let identity = ExternalIdentity(person: "ada", gateway: "attic")
let perMinute = HKUnit(from: "count/min")
let moment = Date(timeIntervalSince1970: 1_763_000_000.123_456)

func heartRateSample(_ value: Double, _ second: Double = 0, metadata: [String: Any]? = nil)
  -> HKQuantitySample
{
  HKQuantitySample(
    type: pulse, quantity: HKQuantity(unit: perMinute, doubleValue: value), start: moment + second,
    end: moment + second, metadata: metadata)
}

func page(_ samples: [HKSample], deleted: [HKDeletedObject] = []) -> ChangePage {
  ChangePage(type: pulse, deleted: deleted, added: samples.map { ExternalRecord(sample: $0) })
}

/// Returns the bundle identifier of the source of a monitor's samples.
func source(_ address: String) -> String { "org.hrgate.monitor.\(address)" }

func somewhere(
  types: Set<HKSampleType>? = nil, sources: Set<String>? = nil, from: Date? = nil,
  identity: ExternalIdentity = identity
) -> SyncDestination {
  SyncDestination(
    name: "home", address: "mqtt://localhost/", types: types, sources: sources, from: from, identity: identity
  )
}

func mqttStore(_ address: MQTTAddress, password: String? = nil) -> MQTTStore {
  MQTTStore(address, password: password, identity: identity, destination: "home")
}

/// Returns the error that `work` throws, or nil if it throws none or one of another type.
func failure(_ work: () async throws -> Void) async -> ExternalStoreError? {
  do {
    try await work()
    return nil
  } catch { return error as? ExternalStoreError }
}

extension HKHealthStore {
  /// Returns the heart rates in the store, and the deleted ones.
  func changes() async throws -> (samples: [HKSample], deleted: [HKDeletedObject]) {
    let descriptor = HKAnchoredObjectQueryDescriptor(
      predicates: [HKSamplePredicate.sample(type: pulse)], anchor: nil)
    let result = try await descriptor.result(for: self)
    return (result.addedSamples, result.deletedObjects)
  }
}
