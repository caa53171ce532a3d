import Foundation
import HealthStorage
import Synchronization

/// Tells a program that has asked for preferred units when the user chooses others.
///
/// It begins with the first question, since most programs never ask, and ends with the store.
final class PreferenceFollower: Sendable {
  private let task = Mutex<Task<Void, Never>?>(nil)

  func follow(_ store: HKHealthStore) {
    task.withLock { task in
      guard task == nil, let database = try? store.admit(.authorization) else { return }
      let ticks = database.commits()
      task = Task { [weak store] in
        var known = try? await database.preferredUnits()
        for await _ in ticks {
          guard let now = try? await database.preferredUnits(), now != known else { continue }
          known = now
          guard let store else { return }
          NotificationCenter.default.post(name: .HKUserPreferencesDidChange, object: store)
        }
      }
    }
  }

  deinit {
    task.withLock { $0?.cancel() }
  }
}
