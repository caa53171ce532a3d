public import Foundation
public import HealthKit
import HealthStorage

/// Keeps anchors in the health store itself, for each program its own. There they survive what the store
/// survives, and a store that is put back to an earlier state has the anchors of that state. (Not in the
/// original library.)
public final class HDSHealthStoreDefaultsProxy: HDSUserDefaultsProxyProtocol, Sendable {
  private static let key = "value"
  private let store: HKHealthStore

  public init(store: HKHealthStore) {
    self.store = store
  }

  /// What a property list can hold is kept. Where the store cannot be written, what would have been kept is
  /// not there the next time: the same is synchronised once more.
  public func set(_ value: Any?, forKey defaultName: String) {
    guard let value else { return removeObject(forKey: defaultName) }
    let list = [Self.key: value]
    guard
      let data = try? PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
    else { return }
    try? store.syncLedger().setValue(data, forKey: defaultName)
  }

  public func removeObject(forKey defaultName: String) {
    try? store.syncLedger().removeValue(forKey: defaultName)
  }

  public func data(forKey defaultName: String) -> Data? { object(forKey: defaultName) as? Data }

  public func object(forKey defaultName: String) -> Any? {
    guard let data = try? store.syncLedger().value(forKey: defaultName),
      let list = try? PropertyListSerialization.propertyList(from: data, format: nil)
    else { return nil }
    return (list as? [String: Any])?[Self.key]
  }
}
