public import Foundation
public import HealthKit
import HealthStorage

/// Forwards calls to the user defaults of a program.
public class HDSUserDefaultsProxy: HDSUserDefaultsProxyProtocol {
  private let userDefaults: UserDefaults

  public init(userDefaults: UserDefaults) {
    self.userDefaults = userDefaults
  }

  public func set(_ value: Any?, forKey defaultName: String) {
    userDefaults.set(value, forKey: defaultName)
  }

  public func removeObject(forKey defaultName: String) { userDefaults.removeObject(forKey: defaultName) }

  public func data(forKey defaultName: String) -> Data? { userDefaults.data(forKey: defaultName) }

  public func object(forKey defaultName: String) -> Any? { userDefaults.object(forKey: defaultName) }
}

/// The storage in which observers save their anchors. Tests have their own implementation.
public protocol HDSUserDefaultsProxyProtocol {
  /// Stores a value.
  ///
  /// - Parameter value: The value, or `nil` to remove it.
  func set(_ value: Any?, forKey defaultName: String)
  func removeObject(forKey defaultName: String)
  func data(forKey defaultName: String) -> Data?
  func object(forKey defaultName: String) -> Any?
}

/// Stores anchors in the health store itself, separately for each program. If the store is restored from a
/// backup, the anchors are restored with it. (An addition to Microsoft's library.)
public final class HDSHealthStoreDefaultsProxy: HDSUserDefaultsProxyProtocol, Sendable {
  private static let key = "value"
  private let store: HKHealthStore

  public init(store: HKHealthStore) {
    self.store = store
  }

  /// Stores a property list value. If the store cannot be written to, the value is lost, and the same objects
  /// are later sent again.
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
