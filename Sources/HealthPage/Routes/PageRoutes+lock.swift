import Foundation
import HealthSystem

extension PageRoutes {
  /// Adds the route that reports whether a store is locked, which works for a locked store too, and the one
  /// that unlocks a store.
  /// - Parameter afterUnlock: Called with the path of a store that was unlocked.
  mutating func addLock(
    _ stores: StoreCache, _ afterUnlock: @escaping @Sendable (String) async throws -> Void
  ) {
    let unlocking = Unlocking()
    reads[Self.lockPath] = { request in
      let path = try stores.path(of: request)
      let status = try StoreVault.status(path)
      return try .json(
        LockResponse(
          csrf: request.session.changeKey.text, store: path, isLocked: status.isLocked,
          hasPassphrase: status.slots.contains { $0.kind == "passphrase" }, problem: status.problem))
    }
    changes[Self.unlockPath] = { request in
      let path = try stores.path(of: request)
      var bytes = Array(try request.body(UnlockRequest.self).passphrase.utf8)
      do {
        try await unlocking.unlock(path, with: StoreSecret.passphrase(taking: &bytes))
      } catch {
        throw PageError.argument(error.localizedDescription)
      }
      do {
        try await afterUnlock(path)
        return try .json(UnlockResponse())
      } catch {
        return try .json(
          UnlockResponse(
            problem: "The store is unlocked, but measurements that were recorded while it was locked could "
              + "not be stored yet: \(error.localizedDescription)"))
      }
    }
  }

  static let lockPath = "/api/lock"
  static let unlockPath = "/api/unlock"
}

/// Unlocks stores one at a time, because each attempt uses 64 MiB of memory and a fraction of a second.
private actor Unlocking {
  func unlock(_ path: String, with secret: StoreSecret) throws { try StoreVault.unlock(path, with: secret) }
}

struct LockResponse: Codable, Sendable {
  /// The session's change key, which the request to unlock must contain. `/api/session`, which usually
  /// provides it, fails while the store is locked.
  var csrf: String
  /// Path of the store.
  var store: String
  var isLocked: Bool
  /// Whether a passphrase can unlock the store. Other kinds of keys can be used only on the command line.
  var hasPassphrase: Bool
  /// The reason why the keys cannot be used; absent if they can.
  var problem: String?
}

private struct UnlockRequest: Decodable {
  var passphrase: String
}

/// The response when a store was unlocked.
struct UnlockResponse: Codable, Sendable {
  /// Why recorded measurements are not in the store yet; absent if they are.
  var problem: String?
}
