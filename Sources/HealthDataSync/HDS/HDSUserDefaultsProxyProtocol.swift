public import Foundation

/// Where anchors are kept, so that a test can stand in for it.
public protocol HDSUserDefaultsProxyProtocol {
  /// - Parameter value: nil removes it.
  func set(_ value: Any?, forKey defaultName: String)
  func removeObject(forKey defaultName: String)
  func data(forKey defaultName: String) -> Data?
  func object(forKey defaultName: String) -> Any?
}
