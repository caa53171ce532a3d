import Foundation
package import HealthKit
import HealthStorage

extension SystemStore {
  /// Every decision, in the order of bundle and type identifiers. Those on single objects are counted.
  package func permissions() async throws -> [TypePermission] {
    try await HKError.translating {
      try await database.permissions().map {
        TypePermission(
          bundleIdentifier: $0.application.bundleIdentifier, applicationName: $0.application.name,
          type: $0.type, share: $0.permission.share, read: $0.permission.read, objects: $0.objects)
      }
    }
  }

  /// Grants or denies, at any time, also what was never asked. Of a type that is permitted object by object,
  /// denying takes back what was chosen, and granting does nothing.
  /// - Parameters:
  ///   - share: nil leaves it as it is; so does `read`.
  package func setPermission(
    share: Bool?, read: Bool?, on types: [HKObjectType], for bundleIdentifier: String
  ) async throws {
    // Checked, so that nothing is granted to a name that no application can have.
    let application = try HKHealthStore.Application(
      bundleIdentifier: bundleIdentifier, name: bundleIdentifier)
    // A decision on single objects says nothing of later ones: what was chosen is taken back.
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

  /// Makes types undecided again, or all of an application.
  /// - Returns: how many decisions there were; each object that was chosen is one.
  package func resetPermissions(on types: [HKObjectType]?, for bundleIdentifier: String) async throws -> Int {
    try await HKError.translating {
      try await database.forgetDecisions(on: types?.map(\.identifier), for: bundleIdentifier)
    }
  }

  /// The oldest question that was asked after another. Questions of programs that have ended are forgotten.
  /// - Parameters:
  ///   - id: of the other; nil for the oldest of all.
  ///   - waits: whether to wait until one is asked.
  /// - Returns: nil if there is none, or the task is cancelled.
  package func nextPendingAuthorization(
    after id: Int64? = nil, waits: Bool = false
  ) async throws -> PendingAuthorization? {
    try await HKError.translating {
      // The ticks before the first look, so that no commit falls between.
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

  /// Answers a question: what is not granted is denied.
  package func answer(
    _ pending: PendingAuthorization, _ answer: HKHealthStore.Configuration.Answer
  ) async throws {
    try await HKError.translating {
      try await HKHealthStore.keep(
        answer, to: pending.request, pending.pending.request, pending.id, in: database)
    }
  }
}
