package import HealthKit
import HealthStorage

extension SystemStore {
  /// The sources of a type, the one that counts most first, and whether the user chose its place.
  ///
  /// Where several sources measured a sum at the same time, the first of them is believed.
  package func sourceOrder(of type: HKQuantityType) async throws -> [(source: HKSource, isChosen: Bool)] {
    try await HKError.translating { try await database.sourceOrder(ofType: type.identifier).places }
  }

  /// Puts sources of a type in the user's order, the one that counts most first. Those that are not named
  /// follow in the default order. No name at all restores the default.
  /// - Throws: errorInvalidArgument if the store does not know one of them.
  package func setSourceOrder(_ bundleIdentifiers: [String], of type: HKQuantityType) async throws {
    try await HKError.translating {
      let unknown = try await database.setSourceOrder(bundleIdentifiers, ofType: type.identifier)
      guard unknown.isEmpty else {
        throw HKError(
          .errorInvalidArgument, reason: "the store has no source \(unknown.joined(separator: ", "))")
      }
    }
  }
}
