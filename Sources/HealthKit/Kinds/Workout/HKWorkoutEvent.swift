public import Foundation
import HealthStorage

/// An event of a workout: a pause, a lap or a marker. Immutable. Events are equal if type, interval and
/// metadata are equal.
///
/// The initializers trap on invalid arguments (Apple's raise an exception); `validated` throws instead.
// @unchecked: the class is open, like Apple's. All state is `let` and Sendable.
open class HKWorkoutEvent: NSObject, HKArchivable, NSCopying, @unchecked Sendable {
  public let type: HKWorkoutEventType
  /// When the event occurred. Only laps and segments have a duration.
  public let dateInterval: DateInterval
  package let eventMetadata: ObjectMetadata?

  init(_ type: HKWorkoutEventType, _ dateInterval: DateInterval, _ metadata: ObjectMetadata?) {
    self.type = type
    self.dateInterval = dateInterval
    eventMetadata = metadata
  }

  /// The start of the event.
  @available(*, deprecated, message: "use dateInterval")
  public var date: Date { dateInterval.start }

  /// The metadata. Values are String, NSNumber, Date or HKQuantity.
  public var metadata: [String: Any]? { eventMetadata?.dictionary }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? HKWorkoutEvent else { return false }
    return other.type == type && other.dateInterval == dateInterval
      && other.eventMetadata?.encoded.values == eventMetadata?.encoded.values
  }

  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(type)
    hasher.combine(dateInterval)
    return hasher.finalize()
  }

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(type.rawValue, forKey: ArchiveKey.type)
    coder.encode(dateInterval.start as NSDate, forKey: ArchiveKey.start)
    coder.encode(dateInterval.end as NSDate, forKey: ArchiveKey.end)
    coder.encodeMetadata(eventMetadata, forKey: ArchiveKey.metadata)
  }

  public required init?(coder: NSCoder) {
    guard let type = coder.value(HKWorkoutEventType.self, forKey: ArchiveKey.type),
      let start = coder.date(forKey: ArchiveKey.start), let end = coder.date(forKey: ArchiveKey.end),
      start <= end, let metadata = coder.metadata(forKey: ArchiveKey.metadata),
      (try? Self.check(type, DateInterval(start: start, end: end))) != nil
    else { return nil }
    self.type = type
    dateInterval = DateInterval(start: start, end: end)
    eventMetadata = metadata.object
  }

  private enum ArchiveKey {
    static let type = "type"
    static let start = "startDate"
    static let end = "endDate"
    static let metadata = "metadata"
  }
}

// MARK: - Creating events

extension HKWorkoutEvent {
  /// Returns a new event after checking values that come from outside the program.
  ///
  /// ```swift
  /// let lap = try HKWorkoutEvent.validated(
  ///   type: .lap, dateInterval: DateInterval(start: start, end: end))
  /// ```
  ///
  /// - Throws: `HKValidationError` if an event other than a lap or a segment has a duration, or the metadata
  ///   is invalid.
  public class func validated(
    type: HKWorkoutEventType, dateInterval: DateInterval, metadata: [String: Any]? = nil
  ) throws(HKValidationError) -> HKWorkoutEvent {
    try check(type, dateInterval)
    return HKWorkoutEvent(type, dateInterval, try ObjectMetadata.validated(metadata))
  }

  /// Creates an event with metadata that has already been checked.
  package static func make(
    type: HKWorkoutEventType, dateInterval: DateInterval, metadata: ObjectMetadata?
  ) throws(HKValidationError) -> HKWorkoutEvent {
    try check(type, dateInterval)
    return HKWorkoutEvent(type, dateInterval, metadata)
  }

  fileprivate static func check(
    _ type: HKWorkoutEventType, _ dateInterval: DateInterval
  ) throws(HKValidationError) {
    _ = try SampleInterval(
      start: dateInterval.start, end: dateInterval.end, of: HKObjectType.workoutType())
    guard dateInterval.duration == 0 || type == .lap || type == .segment else {
      throw HKValidationError("only a lap or a segment of a workout has a duration, not a \(type)")
    }
  }
}

extension HKWorkoutEvent {
  private convenience init(as other: HKWorkoutEvent) {
    self.init(other.type, other.dateInterval, other.eventMetadata)
  }

  /// Creates an event.
  /// - Parameter dateInterval: Must have a duration of 0, unless the event is a lap or a segment.
  public convenience init(type: HKWorkoutEventType, dateInterval: DateInterval, metadata: [String: Any]?) {
    self.init(
      as: requiring(
        try HKWorkoutEvent.validated(type: type, dateInterval: dateInterval, metadata: metadata)))
  }

  @available(*, deprecated, message: "use init(type:dateInterval:metadata:)")
  public convenience init(type: HKWorkoutEventType, date: Date) {
    self.init(type: type, dateInterval: DateInterval(start: date, duration: 0), metadata: nil)
  }

  @available(*, deprecated, message: "use init(type:dateInterval:metadata:)")
  public convenience init(type: HKWorkoutEventType, date: Date, metadata: [String: Any]) {
    self.init(type: type, dateInterval: DateInterval(start: date, duration: 0), metadata: metadata)
  }
}
