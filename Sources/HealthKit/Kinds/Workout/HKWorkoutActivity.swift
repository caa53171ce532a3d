public import Foundation

/// One part of a workout that has several, such as the run of a triathlon. Immutable; equal if the UUIDs are.
///
/// The initialiser traps where Apple's raises an exception; `validated` throws the reason instead.
// @unchecked: open as Apple's class is, but its state is `let` and Sendable.
open class HKWorkoutActivity: NSObject, HKArchivable, NSCopying, @unchecked Sendable {
  public let uuid: UUID
  public let startDate: Date
  /// nil for an activity that goes on.
  public let endDate: Date?
  /// The events of the workout that lie in the activity.
  public let workoutEvents: [HKWorkoutEvent]
  let configuration: HKWorkoutConfiguration.Values
  package let activityMetadata: ObjectMetadata?
  // Written once, by the store, before it hands the workout out.
  private final var storedStatistics: [HKQuantityType: HKStatistics] = [:]

  init(
    uuid: UUID, _ configuration: HKWorkoutConfiguration.Values, start: Date, end: Date?,
    metadata: ObjectMetadata?, events: [HKWorkoutEvent]
  ) {
    self.uuid = uuid
    self.configuration = configuration
    startDate = start
    endDate = end
    activityMetadata = metadata
    workoutEvents = events
  }

  /// A copy: changing it changes nothing here.
  public var workoutConfiguration: HKWorkoutConfiguration { HKWorkoutConfiguration(configuration) }

  /// Values are String, NSNumber, Date or HKQuantity.
  public var metadata: [String: Any]? { activityMetadata?.dictionary }

  /// Without pauses, in seconds; until now for an activity that goes on.
  public var duration: TimeInterval {
    WorkoutDuration.active(from: startDate, to: endDate ?? max(Date(), startDate), events: workoutEvents)
  }

  /// Of the samples of the workout that begin in the activity, as they were when the workout was read; empty
  /// for one that was not read from a store.
  public var allStatistics: [HKQuantityType: HKStatistics] { storedStatistics }

  /// To be called before anybody else has the activity.
  func take(_ statistics: [HKQuantityType: HKStatistics]) {
    storedStatistics = statistics
  }

  /// nil without samples of the type.
  public func statistics(for quantityType: HKQuantityType) -> HKStatistics? { allStatistics[quantityType] }

  open override func isEqual(_ object: Any?) -> Bool { (object as? HKWorkoutActivity)?.uuid == uuid }
  open override var hash: Int { uuid.hashValue }

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(uuid as NSUUID, forKey: ArchiveKey.uuid)
    coder.encode(workoutConfiguration, forKey: ArchiveKey.configuration)
    coder.encode(startDate as NSDate, forKey: ArchiveKey.start)
    coder.encode(endDate as NSDate?, forKey: ArchiveKey.end)
    coder.encodeMetadata(activityMetadata, forKey: ArchiveKey.metadata)
    coder.encode(workoutEvents as NSArray, forKey: ArchiveKey.events)
  }

  public required init?(coder: NSCoder) {
    guard let uuid = coder.uuid(forKey: ArchiveKey.uuid),
      let configuration = coder.object(HKWorkoutConfiguration.self, forKey: ArchiveKey.configuration),
      let start = coder.date(forKey: ArchiveKey.start),
      let metadata = coder.metadata(forKey: ArchiveKey.metadata),
      let events = coder.objects(HKWorkoutEvent.self, forKey: ArchiveKey.events)
    else { return nil }
    let end = coder.date(forKey: ArchiveKey.end)
    guard (try? Self.check(start, end)) != nil else { return nil }
    self.uuid = uuid
    self.configuration = configuration.values
    startDate = start
    endDate = end
    activityMetadata = metadata.object
    workoutEvents = events
  }

  private enum ArchiveKey {
    static let uuid = "UUID"
    static let configuration = "workoutConfiguration"
    static let start = "startDate"
    static let end = "endDate"
    static let metadata = "metadata"
    static let events = "workoutEvents"
  }
}

// MARK: - Making activities

extension HKWorkoutActivity {
  /// A new activity, or the reason why there cannot be one: for values that come from outside.
  public class func validated(
    workoutConfiguration: HKWorkoutConfiguration, start: Date, end: Date?, metadata: [String: Any]? = nil
  ) throws(HKValidationError) -> HKWorkoutActivity {
    try check(start, end)
    return HKWorkoutActivity(
      uuid: .timeOrdered(), workoutConfiguration.values, start: start, end: end,
      metadata: try ObjectMetadata.validated(metadata), events: [])
  }

  static func check(_ start: Date, _ end: Date?) throws(HKValidationError) {
    _ = try SampleInterval(start: start, end: end ?? start, of: HKObjectType.workoutType())
  }
}

extension HKWorkoutActivity {
  private convenience init(as other: HKWorkoutActivity) {
    self.init(
      uuid: other.uuid, other.configuration, start: other.startDate, end: other.endDate,
      metadata: other.activityMetadata, events: other.workoutEvents)
  }

  /// - Parameter end: not before `start`; nil for an activity that goes on.
  public convenience init(
    workoutConfiguration: HKWorkoutConfiguration, start: Date, end: Date?, metadata: [String: Any]?
  ) {
    self.init(
      as: requiring(
        try HKWorkoutActivity.validated(
          workoutConfiguration: workoutConfiguration, start: start, end: end, metadata: metadata)))
  }
}
