public import Foundation

/// The settings of a workout that is about to start. Mutable, so do not share it between threads. Workouts
/// keep a copy.
open class HKWorkoutConfiguration: NSObject, HKArchivable, NSCopying {
  open var activityType: HKWorkoutActivityType = .other
  open var locationType: HKWorkoutSessionLocationType = .unknown
  open var swimmingLocationType: HKWorkoutSwimmingLocationType = .unknown
  /// The length of the pool, for swimming.
  open var lapLength: HKQuantity?

  public override init() {}

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? HKWorkoutConfiguration else { return false }
    return other.values == values
  }

  open override var hash: Int { values.hashValue }

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { HKWorkoutConfiguration(values) }

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(Int(activityType.rawValue), forKey: ArchiveKey.activityType)
    coder.encode(locationType.rawValue, forKey: ArchiveKey.locationType)
    coder.encode(swimmingLocationType.rawValue, forKey: ArchiveKey.swimmingLocationType)
    coder.encode(lapLength, forKey: ArchiveKey.lapLength)
  }

  public required init?(coder: NSCoder) {
    guard let activityType = coder.value(HKWorkoutActivityType.self, forKey: ArchiveKey.activityType),
      let locationType = coder.value(
        HKWorkoutSessionLocationType.self, forKey: ArchiveKey.locationType),
      let swimmingLocationType = coder.value(
        HKWorkoutSwimmingLocationType.self, forKey: ArchiveKey.swimmingLocationType)
    else { return nil }
    self.activityType = activityType
    self.locationType = locationType
    self.swimmingLocationType = swimmingLocationType
    lapLength = coder.object(HKQuantity.self, forKey: ArchiveKey.lapLength)
  }

  private enum ArchiveKey {
    static let activityType = "activityType"
    static let locationType = "locationType"
    static let swimmingLocationType = "swimmingLocationType"
    static let lapLength = "lapLength"
  }
}

extension HKWorkoutConfiguration {
  /// An immutable copy of the values of a configuration.
  struct Values: Hashable, Sendable {
    var activityType: HKWorkoutActivityType
    var locationType = HKWorkoutSessionLocationType.unknown
    var swimmingLocationType = HKWorkoutSwimmingLocationType.unknown
    var lapLength: HKQuantity?
  }

  var values: Values {
    Values(
      activityType: activityType, locationType: locationType, swimmingLocationType: swimmingLocationType,
      lapLength: lapLength)
  }

  convenience init(_ values: Values) {
    self.init()
    activityType = values.activityType
    locationType = values.locationType
    swimmingLocationType = values.swimmingLocationType
    lapLength = values.lapLength
  }
}
