import HealthStorage

extension HKHealthStore {
  /// Where the store of this user is.
  package static var defaultPath: String { StoreEngine.defaultPath }

  /// How many samples each source has saved, by type identifier; the sources in the order of their bundle identifiers.
  package func sampleCounts() async throws -> [(source: HKSource, counts: [String: Int])] {
    do {
      var sources: [(source: HKSource, counts: [String: Int])] = []
      for entry in try await admit(.administer).inventory() {
        if sources.last?.source.bundleIdentifier != entry.source.bundleIdentifier {
          sources.append((HKSource(entry.source), [:]))
        }
        sources[sources.count - 1].counts[entry.type] = entry.count
      }
      return sources
    } catch let failure as StorageFailure {
      throw HKError(failure)
    }
  }
}
