import Foundation
import HealthSystem

extension PageRoutes {
  /// Adds the state of an encrypted store, which is known while it is locked, and unlocking.
  mutating func addLock(_ stores: StoreCache) {
    let unlocking = Unlocking()
    reads[Self.lockPath] = { question in
      let path = try stores.path(of: question)
      let status = try StoreVault.status(path)
      return try .json(
        LockResponse(
          csrf: question.session.changeKey.text, store: path, isLocked: status.isLocked,
          hasPassphrase: status.slots.contains { $0.kind == "passphrase" }, problem: status.problem))
    }
    changes[Self.unlockPath] = { question in
      let path = try stores.path(of: question)
      var bytes = Array(try question.body(UnlockRequest.self).passphrase.utf8)
      do {
        try await unlocking.unlock(path, with: StoreSecret.passphrase(taking: &bytes))
      } catch {
        throw PageError.argument(error.localizedDescription)
      }
      return try .json(Done())
    }
  }

  static let lockPath = "/api/lock"
  static let unlockPath = "/api/unlock"
}

/// Unlocks one store at a time: each attempt takes 64 MiB and a fraction of a second.
private actor Unlocking {
  func unlock(_ path: String, with secret: StoreSecret) throws { try StoreVault.unlock(path, with: secret) }
}

struct LockResponse: Codable, Sendable {
  /// The key that the page sends with the change. `/api/session` fails while the store is locked.
  var csrf: String
  /// Path of the store.
  var store: String
  var isLocked: Bool
  /// Whether a passphrase unlocks it. Other keys are for the command line.
  var hasPassphrase: Bool
  /// Why the keys cannot be used; absent without a problem.
  var problem: String?
}

private struct UnlockRequest: Decodable {
  var passphrase: String
}
