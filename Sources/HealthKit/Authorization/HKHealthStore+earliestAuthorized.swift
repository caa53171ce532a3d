public import Foundation

extension HKHealthStore {
  /// From when on this program may read samples of types of which the user lets it read the recent ones only.
  /// Types that are not limited so have no entry; here no type is, as the user permits a type or does not.
  /// - Throws: `HKError`: errorAuthorizationDenied without the entitlement; errorDatabaseInaccessible.
  public func earliestAuthorizedSampleDate(
    for types: Set<HKObjectType>
  ) async throws -> [HKObjectType: Date] {
    _ = try admit(.authorization)
    return [:]
  }

  /// As `earliestAuthorizedSampleDate(for:)`; the handler runs on a background queue.
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
