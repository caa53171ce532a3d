import Foundation
import HealthKit
import HealthSystem

extension People {
  /// Returns whether any person's store has monitors. A store that cannot be read now is assumed to have
  /// monitors, unless it is damaged.
  ///
  /// - Parameter open: Opens the store at a path; throws if it is damaged.
  func haveMonitors(open: @escaping @Sendable (String) throws -> MonitorRegistry) async -> Bool {
    // If the list of people cannot be read, assume that their stores have monitors.
    guard let present = try? present() else { return true }
    for store in present.map(home.people.store(of:)) where FileManager.default.fileExists(atPath: store) {
      do {
        let registry = try await blocking { try open(store) }
        if try await !registry.monitors().isEmpty { return true }
      } catch {
        guard let refusal = error as? UnusableStoreError, refusal.lasts else { return true }
      }
    }
    return false
  }
}
