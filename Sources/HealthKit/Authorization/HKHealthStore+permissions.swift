import Foundation
import HealthStorage

/// What the user decided on a type for an application. nil is undecided.
package struct TypePermission: Hashable, Sendable {
  package let bundleIdentifier: String
  package let applicationName: String
  /// The identifier of an object type.
  package let type: String
  package let share: Bool?
  package let read: Bool?
  /// How many objects of the type it may read one by one.
  package let objects: Int
}

/// A question of an application that waits for the user.
package struct PendingAuthorization: Sendable {
  package var id: Int64 { pending.id }
  package let asked: Date
  /// Its application is as it presented itself when it asked.
  package let request: HKHealthStore.Configuration.Request
  let pending: PendingRequest
}

/// What the user does with permissions. Only the system's handle can; another's fails with errorAuthorizationDenied.
extension HKHealthStore {
  /// Every decision, in the order of bundle and type identifiers; those on single objects as their number.
  package func permissions() async throws -> [TypePermission] {
    try await HKError.translating {
      try await admit(.administer).permissions().map {
        TypePermission(
          bundleIdentifier: $0.application.bundleIdentifier, applicationName: $0.application.name,
          type: $0.type,
          share: $0.permission.share, read: $0.permission.read, objects: $0.objects)
      }
    }
  }

  /// Grants or denies, at any time, also what was never asked. Of a type that is permitted object by object, denying takes back
  /// what was chosen, and granting does nothing.
  /// - Parameters:
  ///   - share: nil leaves it as it is; so does `read`.
  package func setPermission(
    share: Bool?, read: Bool?, on types: [HKObjectType], for bundleIdentifier: String
  ) async throws {
    // Checked, so that nothing is granted to a name that no application can have.
    let application = try Application(bundleIdentifier: bundleIdentifier, name: bundleIdentifier)
    // Object by object nothing is decided for the time to come: what was chosen is taken back.
    let chosen = types.filter { $0.requiresPerObjectAuthorization() }.map(\.identifier)
    let decisions = types.map {
      ($0.identifier, Permission(share: share, read: chosen.contains($0.identifier) ? nil : read))
    }
    try await HKError.translating {
      try await admit(.administer).decide(
        Dictionary(decisions) { first, _ in first }, for: application.bundleIdentifier,
        named: application.name, withdrawingObjectsOf: read == false ? chosen : [],
        at: Microseconds.clamped(Date()))
    }
  }

  /// Makes types undecided again, or all of an application.
  /// - Returns: how many decisions there were; each object that was chosen is one.
  package func resetPermissions(on types: [HKObjectType]?, for bundleIdentifier: String) async throws -> Int {
    try await HKError.translating {
      try await admit(.administer).forgetDecisions(on: types?.map(\.identifier), for: bundleIdentifier)
    }
  }

  /// What an application waits for: the oldest question that was asked after another. Questions of programs that run no more
  /// are forgotten.
  /// - Parameters:
  ///   - id: of the other; nil for the oldest of all.
  ///   - waits: whether to wait until one is asked.
  /// - Returns: nil if there is none, or the task is cancelled.
  package func nextPendingAuthorization(
    after id: Int64? = nil, waits: Bool = false
  ) async throws -> PendingAuthorization? {
    try await HKError.translating {
      let database = try admit(.administer)
      // The ticks before the first look, so that no commit falls between.
      var ticks = waits ? database.commits().makeAsyncIterator() : nil
      repeat {
        try await Self.forgetAbandonedRequests(in: database)
        if let pending = try await database.pendingRequests(after: id ?? 0, limit: 1).first {
          return PendingAuthorization(
            asked: Microseconds.date(pending.asked),
            request: try await Self.request(pending, Application(asking: pending.request), in: database),
            pending: pending)
        }
      } while await ticks?.next() != nil
      return nil
    }
  }

  /// Answers a question: what is not granted is denied.
  package func answer(_ pending: PendingAuthorization, _ answer: Configuration.Answer) async throws {
    try await HKError.translating {
      try await Self.keep(
        answer, to: pending.request, pending.pending.request, pending.id, in: admit(.administer))
    }
  }
}

extension HKHealthStore.Application {
  fileprivate init(asking request: PermissionRequest) {
    self.init(
      trusting: request.application.bundleIdentifier, name: request.application.name, version: nil,
      entitlements: Entitlements(healthKit: true), healthShareUsageDescription: request.readDescription,
      healthUpdateUsageDescription: request.shareDescription, requiredReadTypes: [], backgroundUnit: nil)
  }
}
