import Foundation
import HealthKit
import HealthSystem

extension People {
  /// Returns whether any person's store has enrolled monitors, or may have: a store that cannot be read now
  /// counts, unless it is damaged.
  ///
  /// - Parameter open: Opens the store at a path, which is not damaged.
  func haveMonitors(open: @escaping @Sendable (String) throws -> MonitorRegistry) async -> Bool {
    // If the list of people cannot be read, assume that there are some.
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
