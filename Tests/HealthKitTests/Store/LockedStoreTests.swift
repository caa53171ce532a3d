import Foundation
import HealthKit
import Synchronization
import Testing

@testable import HealthStorage
@testable import TestSupport

/// Queries that observe an encrypted store wait while it is locked, and continue after unlocking.
@Suite(
  .enabled(if: StoreEncryption.hasKeyring, "the kernel or the container refuses keyrings (add_key, keyctl)"),
  .timeLimit(.minutes(30)))
struct LockedStoreTests {
  private final class Store {
    let folder: TemporaryFolder
    let path: String

    init() async throws {
      folder = try TemporaryFolder()
      path = folder.path("s.sqlite")
      try SampleDatabase.open(at: path, .none).close()
      // scrypt's cost N is small (1,024), so that the test is fast.
      try StoreEncryption.encrypt(path, with: Self.secret(), cost: 1 << 10)
    }

    deinit { _ = try? StoreEncryption.lock(path) }

    static func secret() throws -> KeySecret {
      var bytes = Array("correct horse".utf8)
      return .passphrase(try SecretBytes(taking: &bytes))
    }
  }

  private static func unlock(_ path: String) throws {
    try StoreEncryption.unlock(path, with: Store.secret())
  }

  /// Locks the store for longer than a query waits between two attempts to read it, and then saves a sample.
  private static func lockAndSave(_ path: String, _ value: Double, in store: HKHealthStore) async throws {
    #expect(try StoreEncryption.lock(path))
    try await Task.sleep(for: .seconds(2))
    try unlock(path)
    try await store.save(heartRate(value, at: value))
  }

  @Test func `an anchored query continues after unlocking`() async throws {
    let encrypted = try await Store()
    let path = encrypted.path
    let store = try HKHealthStore(storeAt: path)
    let descriptor = HKAnchoredObjectQueryDescriptor(
      predicates: [.quantitySample(type: HKQuantityType(.heartRate))], anchor: nil)
    var results = descriptor.results(for: store).makeAsyncIterator()
    #expect(try await results.next()?.addedSamples.isEmpty == true)
    for value in [61.0, 62] {
      async let saving: Void = Self.lockAndSave(path, value, in: store)
      #expect(try await results.next()?.addedSamples.values == [value])
      try await saving
    }
  }

  @Test func `statistics continue after unlocking`() async throws {
    let encrypted = try await Store()
    let path = encrypted.path
    let store = try HKHealthStore(storeAt: path)
    var results = HKStatisticsCollectionQueryDescriptor(
      predicate: .quantitySample(type: HKQuantityType(.heartRate)), options: .discreteAverage,
      anchorDate: moment(), intervalComponents: DateComponents(hour: 1)
    ).results(for: store).makeAsyncIterator()
    #expect(try await results.next() != nil)
    async let saving: Void = Self.lockAndSave(path, 61, in: store)
    let updated = try await results.next()?.updatedStatistics
    #expect(updated?.first?.averageQuantity()?.doubleValue(for: beatsPerMinute) == 61)
    try await saving
  }

  @Test func `an observer query continues after unlocking`() async throws {
    let encrypted = try await Store()
    let path = encrypted.path
    let store = try HKHealthStore(storeAt: path)
    let (stream, continuation) = AsyncStream.makeStream(of: String?.self)
    let query = HKObserverQuery(sampleType: HKQuantityType(.heartRate), predicate: nil) {
      _, completion, error in
      continuation.yield(error.map { "\($0)" })
      completion()
    }
    store.execute(query)
    var calls = stream.makeAsyncIterator()
    #expect(await calls.next() == .some(nil))
    async let saving: Void = Self.lockAndSave(path, 61, in: store)
    #expect(await calls.next() == .some(nil))
    try await saving
    store.stop(query)
  }

  @Test func `a query of a locked store fails at once`() async throws {
    let encrypted = try await Store()
    let store = try HKHealthStore(storeAt: encrypted.path)
    #expect(try StoreEncryption.lock(encrypted.path))
    let error = await #expect(throws: HKError.self) {
      var results = HKAnchoredObjectQueryDescriptor(
        predicates: [.quantitySample(type: HKQuantityType(.heartRate))], anchor: nil
      ).results(for: store).makeAsyncIterator()
      _ = try await results.next()
    }
    #expect(error?.code == .errorDatabaseInaccessible)
  }
}
