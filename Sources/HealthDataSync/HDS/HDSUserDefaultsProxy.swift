public import Foundation

/// The user defaults of a program.
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
