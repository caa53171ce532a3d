public import Foundation

extension HKHealthStore {
  /// Returns the earliest date from which this program may read samples, for types with limited access.
  ///
  /// Types without a limit have no entry. The result is always empty here, because the user grants access to
  /// a type either completely or not at all.
  /// - Throws: `HKError`: errorAuthorizationDenied without the entitlement; errorDatabaseInaccessible.
  public func earliestAuthorizedSampleDate(
    for types: Set<HKObjectType>
  ) async throws -> [HKObjectType: Date] {
    _ = try admit(.authorization)
    return [:]
  }

  /// Reads the earliest authorized sample dates. The handler runs on a background queue.
  @preconcurrency
  public func getEarliestAuthorizedSampleDate(
    for types: Set<HKObjectType>,
    completion: @escaping @Sendable ([HKObjectType: Date]?, (any Error)?) -> Void
  ) {
    Task {
      do {
        completion(try await earliestAuthorizedSampleDate(for: types), nil)
      } catch {
        completion(nil, error)
      }
    }
  }
}
