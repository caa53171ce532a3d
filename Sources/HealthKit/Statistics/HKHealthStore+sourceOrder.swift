import HealthStorage

extension HKHealthStore {
  /// The sources of a type, the one that counts most first, and whether the user chose its place.
  ///
  /// It decides which source is believed where several measured a sum at the same time; see `SourceOrder`.
  /// - Throws: `HKError`, errorDatabaseInaccessible.
  package func sourceOrder(of type: HKQuantityType) async throws -> [(source: HKSource, isChosen: Bool)] {
    do {
      let record = try await admit(.administer).sourceOrder(ofType: type.identifier)
      let chosen = Set(record.chosen)
      return SourceOrder(record.sources, chosen: record.chosen).places.map {
        (HKSource(record.sources[$0]), chosen.contains($0))
      }
    } catch let failure as StorageFailure {
      throw HKError(failure)
    }
  }

  /// Puts sources of a type in the user's order, the one that counts most first; those that are not named follow in
  /// the default order. No name at all restores the default.
  /// - Throws: `HKError`, errorInvalidArgument if the store does not know one of them, errorDatabaseInaccessible.
  package func setSourceOrder(_ bundleIdentifiers: [String], of type: HKQuantityType) async throws {
    do {
      let unknown = try await admit(.administer).setSourceOrder(bundleIdentifiers, ofType: type.identifier)
      guard unknown.isEmpty else {
        throw HKError(
          .errorInvalidArgument, reason: "the store has no source \(unknown.joined(separator: ", "))")
      }
    } catch let failure as StorageFailure {
      throw HKError(failure)
    }
  }
}
