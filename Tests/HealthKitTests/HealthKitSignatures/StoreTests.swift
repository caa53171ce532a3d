import HealthKit
import HealthKitSignatures
import Testing

/// Tests that signatures survive storing and reading a sample.
@Suite struct StoreTests {
  @Test func `a stored sample is valid, and an altered one is reported`() async throws {
    let store = try HKHealthStore.inMemory()
    let values = [72.5, 0.1, 1.0 / 3, 199]
    let signed = try values.enumerated().map { place, value in
      try Device.identity.signed(Device.sample(value: value, start: Device.start + 0.7 * Double(place)))
    }
    let altered = Device.sample(
      Device.sample(value: 73, start: Device.start + 60),
      signature: try Device.signature(of: Device.sample(start: Device.start + 60)))
    try await store.save(signed + [altered])

    let found = try await HKSampleQueryDescriptor(
      predicates: [.quantitySample(type: HKQuantityType(.heartRate))],
      sortDescriptors: [SortDescriptor(\.startDate)]
    ).result(for: store)
    #expect(found.map { Device.verifier.verify($0).isValid } == [true, true, true, true, false])
    #expect(found.last.map(Device.verifier.verify)?.fields == [.value])
  }

  @Test func `a sample without exactly one value has no signed form`() async throws {
    let store = try HKHealthStore.inMemory()
    let builder = HKHeartbeatSeriesBuilder(healthStore: store, device: nil, start: Device.start)
    try await builder.addHeartbeat(at: 0, precededByGap: false)
    try await builder.addMetadata([HKMetadataKeyDigitalSignature: Device.signature(of: Device.sample())])
    let series = try await builder.finishSeries()
    #expect(Device.verifier.verify(series).code == .unsupportedSample)
  }
}
