public import Foundation
import HealthStorage
import Synchronization

extension NSNotification.Name {
  /// Posted when the user chooses other units. The object of the notification is the store from which the
  /// program has read preferred units. The notification is posted immediately in the process that made the
  /// change, and shortly after in others.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let HKUserPreferencesDidChange = NSNotification.Name("HKUserPreferencesDidChangeNotification")
}

extension HKHealthStore {
  func unitsPreferred(for types: Set<HKQuantityType>) async throws -> [HKQuantityType: HKUnit] {
    let chosen = try await HKError.translating { try await chosenUnits(of: types) }
    preferences.follow(self)
    let pairs = types.map { type in
      let unit = chosen[type.identifier].flatMap { type.unit(named: $0) }
      return (type, unit ?? UsualUnit.of(type, in: .current))
    }
    return Dictionary(uniqueKeysWithValues: pairs)
  }

  /// Returns the units that the user chose, by type, for those types that the program may save or read.
  /// - Throws: `StorageError.undecided` if the program did not request permission for one of the types.
  private func chosenUnits(of types: Set<HKQuantityType>) async throws -> [String: String] {
    let decisions = try await decisions(on: types)
    let chosen = try await admit(.authorization).preferredUnits()
    guard let decisions else { return chosen }
    guard decisions.values.allSatisfy({ $0.share != nil || $0.read != nil }) else {
      throw StorageError.undecided
    }
    return chosen.filter { type, _ in decisions[type].map { $0.share == true || $0.read == true } ?? false }
  }
}

extension HKQuantityType {
  /// Returns the unit with a symbol, or nil if the symbol is unknown or the unit does not fit the type.
  package func unit(named symbol: String) -> HKUnit? {
    (try? HKUnit.validated(from: symbol)).flatMap { self.is(compatibleWith: $0) ? $0 : nil }
  }
}

/// Posts a notification when the user chooses other preferred units.
///
/// It starts at the first request for preferred units, because most programs never make one, and ends with
/// the store.
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
