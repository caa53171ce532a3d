public import Foundation

/// One part of a workout, such as the run of a triathlon. Immutable. Activities are equal if their UUIDs are
/// equal.
///
/// The initializer traps on invalid arguments (Apple's raises an exception); `validated` throws instead.
// @unchecked: the class is open, like Apple's. All state is `let`, Sendable or set before it is shared.
open class HKWorkoutActivity: NSObject, HKArchivable, NSCopying, @unchecked Sendable {
  public let uuid: UUID
  public let startDate: Date
  /// The end of the activity; nil while it is in progress.
  public let endDate: Date?
  /// The events of the workout that occurred during the activity.
  public let workoutEvents: [HKWorkoutEvent]
  let configuration: HKWorkoutConfiguration.Values
  package let activityMetadata: ObjectMetadata?
  // The store sets this once, before it returns the workout to the caller.
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

  /// A copy of the configuration. Changing it does not affect the activity.
  public var workoutConfiguration: HKWorkoutConfiguration { HKWorkoutConfiguration(configuration) }

  /// The metadata. Values are String, NSNumber, Date or HKQuantity.
  public var metadata: [String: Any]? { activityMetadata?.dictionary }

  /// The duration in seconds, without pauses. For an activity in progress, the duration until now.
  public var duration: TimeInterval {
    WorkoutDuration.active(from: startDate, to: endDate ?? max(Date(), startDate), events: workoutEvents)
  }

  /// The statistics of the workout's samples that begin during the activity, at the time when the workout was
  /// read. Empty if the workout does not come from a store or a builder.
  public var allStatistics: [HKQuantityType: HKStatistics] { storedStatistics }

  /// Sets the statistics. Must be called before the activity is shared.
  func take(_ statistics: [HKQuantityType: HKStatistics]) {
    storedStatistics = statistics
  }

  /// Returns the statistics of a type, or nil if the activity has no samples of the type.
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

// MARK: - Creating activities

extension HKWorkoutActivity {
  /// Returns a new activity after checking values that come from outside the program.
  ///
  /// ```swift
  /// let configuration = HKWorkoutConfiguration()
  /// configuration.activityType = .cycling
  /// let activity = try HKWorkoutActivity.validated(
  ///   workoutConfiguration: configuration, start: start, end: end)
  /// ```
  ///
  /// - Throws: `HKValidationError` if the end is before the start, or the metadata is invalid.
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

  /// Creates an activity.
  /// - Parameter end: Must not be before `start`. Nil for an activity in progress.
  public convenience init(
    workoutConfiguration: HKWorkoutConfiguration, start: Date, end: Date?, metadata: [String: Any]?
  ) {
    self.init(
      as: requiring(
        try HKWorkoutActivity.validated(
          workoutConfiguration: workoutConfiguration, start: start, end: end, metadata: metadata)))
  }
}
