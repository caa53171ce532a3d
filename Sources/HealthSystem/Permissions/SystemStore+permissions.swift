package import Foundation
package import HealthKit
import HealthStorage

extension SystemStore {
  /// Returns all permission decisions, ordered by bundle and type identifiers. For per-object authorization,
  /// returns only the number of allowed objects.
  package func permissions() async throws -> [TypePermission] {
    try await HKError.translating {
      let lastReads = try await database.lastReadTimes()
      return try await database.permissions().map {
        TypePermission(
          bundleIdentifier: $0.application.bundleIdentifier, applicationName: $0.application.name,
          type: $0.type, share: $0.permission.share, read: $0.permission.read, objects: $0.objects,
          lastRead: lastReads[$0.application.bundleIdentifier].map(Microseconds.date))
      }
    }
  }

  /// Grants or denies an application access to types, even if it never requested them. For a type with
  /// per-object authorization, denying revokes access to all selected objects, and granting has no effect.
  /// - Parameters:
  ///   - share: The permission to save, or nil to leave it unchanged.
  ///   - read: The permission to read, or nil to leave it unchanged.
  package func setPermission(
    share: Bool?, read: Bool?, on types: [HKObjectType], for bundleIdentifier: String
  ) async throws {
    // Reject an identifier that is not valid for an application.
    let application = try HKHealthStore.Application(
      bundleIdentifier: bundleIdentifier, name: bundleIdentifier)
    // For types with per-object authorization, the user selects individual objects. Only delete the
    // selection, because a denial of the type would not apply to objects added later.
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

  /// Resets the decisions on some types, or on all types of an application, to undecided.
  /// - Returns: The number of deleted decisions. Each selected object counts as one.
  package func resetPermissions(on types: [HKObjectType]?, for bundleIdentifier: String) async throws -> Int {
    try await HKError.translating {
      try await database.forgetDecisions(on: types?.map(\.identifier), for: bundleIdentifier)
    }
  }

  /// Returns the oldest unanswered authorization request that is newer than a given one. Deletes requests
  /// from programs that have exited.
  /// - Parameters:
  ///   - id: The identifier of the given request, or nil for the oldest of all.
  ///   - waits: Whether to wait until there is a request.
  /// - Returns: The request, or nil if there is no request or the task is canceled.
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

  /// Stores the user's answer to a request. Types that the user did not grant are denied.
  package func answer(
    _ pending: PendingAuthorization, _ answer: HKHealthStore.Configuration.Answer
  ) async throws {
    try await HKError.translating {
      try await HKHealthStore.keep(
        answer, to: pending.request, pending.pending.request, pending.id, in: database)
    }
  }
}

/// An authorization request that the user has not answered yet.
package struct PendingAuthorization: Sendable {
  package var id: Int64 { pending.id }
  /// The time of the request.
  package let asked: Date
  /// The request, with the application's description at the time it was made.
  package let request: HKHealthStore.Configuration.Request
  let pending: PendingRequest
}

/// The user's decisions on one type for one application. A nil property means undecided.
package struct TypePermission: Hashable, Sendable {
  package let bundleIdentifier: String
  package let applicationName: String
  /// The identifier of the object type.
  package let type: String
  /// Whether the application may save the type.
  package let share: Bool?
  /// Whether the application may read samples that other sources saved.
  package let read: Bool?
  /// For a type with per-object authorization, the number of objects that the user has allowed the
  /// application to read.
  package let objects: Int
  /// When the application last read anything that the user allows, up to five minutes too early; `nil` if it
  /// never did, or not since its reads are stored.
  package let lastRead: Date?
}
