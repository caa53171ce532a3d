package import Foundation
package import HealthKit
import HealthStorage

extension SystemStore {
  /// Returns all decisions, ordered by bundle and type identifiers. Decisions on single objects are counted.
  package func permissions() async throws -> [TypePermission] {
    try await HKError.translating {
      try await database.permissions().map {
        TypePermission(
          bundleIdentifier: $0.application.bundleIdentifier, applicationName: $0.application.name,
          type: $0.type, share: $0.permission.share, read: $0.permission.read, objects: $0.objects)
      }
    }
  }

  /// Grants or denies access at any time, even for types that the application never requested. For a type
  /// with per-object authorization, denying revokes the selection of objects, and granting has no effect.
  /// - Parameters:
  ///   - share: The permission to save, or nil to leave it unchanged.
  ///   - read: The permission to read, or nil to leave it unchanged.
  package func setPermission(
    share: Bool?, read: Bool?, on types: [HKObjectType], for bundleIdentifier: String
  ) async throws {
    // Validate the identifier, so that nothing is granted to an impossible application.
    let application = try HKHealthStore.Application(
      bundleIdentifier: bundleIdentifier, name: bundleIdentifier)
    // A decision on a type does not cover later objects, so denying only revokes the selected ones.
    let chosen = types.filter { $0.requiresPerObjectAuthorization() }.map(\.identifier)
    let decisions = types.map {
      ($0.identifier, Permission(share: share, read: chosen.contains($0.identifier) ? nil : read))
    }
    try await HKError.translating {
      try await database.decide(
        Dictionary(decisions) { first, _ in first }, for: application.bundleIdentifier,
        named: application.name, withdrawingObjectsOf: read == false ? chosen : [],
        at: Microseconds.clamped(Date()))
    }
  }

  /// Resets some types, or all types of an application, to undecided.
  /// - Returns: The number of deleted decisions. Each selected object counts as one.
  package func resetPermissions(on types: [HKObjectType]?, for bundleIdentifier: String) async throws -> Int {
    try await HKError.translating {
      try await database.forgetDecisions(on: types?.map(\.identifier), for: bundleIdentifier)
    }
  }

  /// Returns the oldest pending request after another one. Deletes requests of programs that have ended.
  /// - Parameters:
  ///   - id: The identifier of the other request, or nil for the oldest of all.
  ///   - waits: Whether to wait for a request if there is none.
  /// - Returns: The request, or nil if there is none or the task is canceled.
  package func nextPendingAuthorization(
    after id: Int64? = nil, waits: Bool = false
  ) async throws -> PendingAuthorization? {
    try await HKError.translating {
      // Subscribe before the first read, so that no commit is missed.
      var ticks = waits ? database.commits().makeAsyncIterator() : nil
      repeat {
        try await HKHealthStore.forgetAbandonedRequests(in: database)
        if let pending = try await database.pendingRequests(after: id ?? 0, limit: 1).first {
          return PendingAuthorization(
            asked: Microseconds.date(pending.asked),
            request: try await HKHealthStore.request(pending, in: database), pending: pending)
        }
      } while await ticks?.next() != nil
      return nil
    }
  }

  /// Stores the answer to a request. Everything that is not granted is denied.
  package func answer(
    _ pending: PendingAuthorization, _ answer: HKHealthStore.Configuration.Answer
  ) async throws {
    try await HKError.translating {
      try await HKHealthStore.keep(
        answer, to: pending.request, pending.pending.request, pending.id, in: database)
    }
  }
}

/// An authorization request that waits for the user's answer.
package struct PendingAuthorization: Sendable {
  package var id: Int64 { pending.id }
  /// The time of the request.
  package let asked: Date
  /// The request, with the application's description at that time.
  package let request: HKHealthStore.Configuration.Request
  let pending: PendingRequest
}

/// The user's decisions on a type for an application. Nil means undecided.
package struct TypePermission: Hashable, Sendable {
  package let bundleIdentifier: String
  package let applicationName: String
  /// The identifier of an object type.
  package let type: String
  /// Whether the application may save the type.
  package let share: Bool?
  /// Whether the application may read samples of other sources.
  package let read: Bool?
  /// The number of objects of the type that the application may read individually.
  package let objects: Int
}
