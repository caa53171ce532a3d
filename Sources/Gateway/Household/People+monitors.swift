import Foundation
import HealthKit
import HealthSystem

extension People {
  /// Whether monitors are enrolled in anybody's store, or may be: a store that does not say so now may later,
  /// unless it is damaged.
  ///
  /// - Parameter open: Opens the store at a path, which is sound.
  func haveMonitors(open: @escaping @Sendable (String) throws -> MonitorRegistry) async -> Bool {
    // Where it cannot be read who there is, there may be somebody.
    guard let present = try? present() else { return true }
    for store in present.map(home.people.store(of:)) where FileManager.default.fileExists(atPath: store) {
      do {
        let registry = try await blocking { try open(store) }
        if try await !registry.monitors().isEmpty { return true }
      } catch {
        guard let refusal = error as? StoreRefusal, refusal.lasts else { return true }
      }
    }
    return false
  }
}
