package import HealthKit
import HealthStorage

extension SystemStore {
  /// How many samples each source has saved, by type identifier. The sources are in the order of their bundle
  /// identifiers.
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

  /// For how many hours the store keeps figures of a type.
  package func keptHours(of type: HKQuantityType) async throws -> Int {
    try await HKError.translating { try await database.keptHours(ofType: type.identifier) }
  }
}
