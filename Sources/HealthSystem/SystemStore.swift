import Foundation
package import HealthKit
package import HealthStorage

/// A health store opened with the owner's access, with operations that HealthKit does not offer to programs.
package struct SystemStore: Sendable {
  /// The same store as an `HKHealthStore`, without permission checks.
  package let healthStore: HKHealthStore
  package let database: SampleDatabase

  /// Wraps a handle to a store.
  /// - Parameter healthStore: A handle with the owner's access.
  /// - Throws: `HKError`: errorAuthorizationDenied for any other handle; errorDatabaseInaccessible.
  package init(_ healthStore: HKHealthStore) throws {
    self.healthStore = healthStore
    database = try healthStore.systemDatabase()
  }

  /// Opens the store in a file, and creates it if it does not exist.
  /// - Throws: `HKError.errorDatabaseInaccessible` with the reason.
  package init(at path: String) throws {
    try self.init(HKHealthStore(storeAt: path))
  }

  /// Opens the store that this process uses: that of the person named by the environment variable
  /// `HRGATE_PERSON`, or the owner's if it is not set.
  /// - Throws: `HKError.errorDatabaseInaccessible` with the reason.
  package static func ofUser() throws -> SystemStore {
    try SystemStore(at: HKError.translating { try DataHome.user.store() })
  }
}

// MARK: - Inventory

extension SystemStore {
  /// Returns the number of samples of each source, by type identifier. The sources are ordered by bundle
  /// identifier.
  package func sampleCounts() async throws -> [(source: HKSource, counts: [String: Int])] {
    try await HKError.translating {
      var sources: [(source: HKSource, counts: [String: Int])] = []
      for entry in try await database.inventory() {
        let source = HKSource(name: entry.source.name, bundleIdentifier: entry.source.bundleIdentifier)
        if sources.last?.source != source { sources.append((source, [:])) }
        sources[sources.count - 1].counts[entry.type] = entry.count
      }
      return sources
    }
  }

  /// Returns the number of hours for which the store caches statistics of a type.
  package func keptHours(of type: HKQuantityType) async throws -> Int {
    try await HKError.translating { try await database.keptHours(ofType: type.identifier) }
  }
}

extension SystemStore {
  /// Returns whether the store was never used: it has no sample, no monitor and no decision of the user.
  /// - Throws: `HKError`.
  package func isEmpty() async throws -> Bool {
    try await HKError.translating { try await database.isEmpty() }
  }
}

// MARK: - Order of sources

extension SystemStore {
  /// Returns the sources of a type, highest priority first, and whether the user chose the position of each.
  ///
  /// If several sources measured a cumulative quantity, such as steps, at the same time, only the values of
  /// the first one count.
  package func sourceOrder(of type: HKQuantityType) async throws -> [(source: HKSource, isChosen: Bool)] {
    try await HKError.translating { try await database.sourceOrder(ofType: type.identifier).places }
  }

  /// Sets the user's order of the sources of a type, highest priority first. Sources that are not in the
  /// array follow in the default order. An empty array restores the default.
  /// - Throws: errorInvalidArgument if the store does not know one of the sources.
  package func setSourceOrder(_ bundleIdentifiers: [String], of type: HKQuantityType) async throws {
    try await HKError.translating {
      let unknown = try await database.setSourceOrder(bundleIdentifiers, ofType: type.identifier)
      guard unknown.isEmpty else {
        throw HKError(
          .errorInvalidArgument,
          reason: "the store has no source \(unknown.joined(separator: ", ")); `hrgate sources` lists them")
      }
    }
  }
}

// MARK: - Medications

extension SystemStore {
  /// Adds a medication, or updates the one with the same identifier.
  package func keep(_ medication: HKUserAnnotatedMedication) async throws {
    try await HKError.translating {
      let archive = try NSKeyedArchiver.archivedData(withRootObject: medication, requiringSecureCoding: true)
      try await database.setMedication(medication.medication.identifier.key, to: archive)
    }
  }

  /// Deletes a medication.
  package func forget(_ medication: HKHealthConceptIdentifier) async throws {
    try await HKError.translating { try await database.setMedication(medication.key, to: nil) }
  }
}

// MARK: - Damaged blocks

extension SystemStore {
  /// Returns a handle that skips damaged segments (stored hours of compressed samples) when reading, so that
  /// the other samples are still shown. It lists the damaged segments in ``skippedBlocks``.
  package func skippingDamagedBlocks(_ isSkipping: Bool = true) throws -> SystemStore {
    try SystemStore(healthStore.skippingDamagedBlocks(isSkipping))
  }

  /// Returns the sentences of ``skippedBlocks``, except for segments that have since been repaired or
  /// deleted.
  package func recheckedBlocks() async throws -> [String] {
    try await HKError.translating {
      try await database.recheckedDamage().map { StorageError.damagedBlock($0).description }
    }
  }

  /// One sentence for each damaged segment that a read has encountered, with its type, its hour and what to
  /// do.
  package var skippedBlocks: [String] {
    database.damagedBlocks.known.map { StorageError.damagedBlock($0).description }
  }
}
