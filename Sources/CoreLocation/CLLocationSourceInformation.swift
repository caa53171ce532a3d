public import Foundation

/// What told a place, as far as it can be asked whether to believe it.
// @unchecked: open as Apple's class is, but its state is `let`.
open class CLLocationSourceInformation: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// Whether a program made the place up.
  public let isSimulatedBySoftware: Bool
  /// Whether something beside the device told it, such as a receiver in a car.
  public let isProducedByAccessory: Bool

  public init(softwareSimulationState isSoftware: Bool, andExternalAccessoryState isAccessory: Bool) {
    isSimulatedBySoftware = isSoftware
    isProducedByAccessory = isAccessory
  }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CLLocationSourceInformation else { return false }
    return other.isSimulatedBySoftware == isSimulatedBySoftware
      && other.isProducedByAccessory == isProducedByAccessory
  }

  open override var hash: Int { (isSimulatedBySoftware ? 1 : 0) + (isProducedByAccessory ? 2 : 0) }

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(isSimulatedBySoftware, forKey: ArchiveKey.software)
    coder.encode(isProducedByAccessory, forKey: ArchiveKey.accessory)
  }

  public required init?(coder: NSCoder) {
    guard coder.containsValue(forKey: ArchiveKey.software), coder.containsValue(forKey: ArchiveKey.accessory)
    else { return nil }
    isSimulatedBySoftware = coder.decodeBool(forKey: ArchiveKey.software)
    isProducedByAccessory = coder.decodeBool(forKey: ArchiveKey.accessory)
  }

  private enum ArchiveKey {
    static let software = "isSimulatedBySoftware"
    static let accessory = "isProducedByAccessory"
  }
}
