public import Foundation

/// A place at a time, and what is known of it. Immutable; equal if all of that is.
// @unchecked: open as Apple's class is, but its state is `let` and Sendable.
open class CLLocation: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  public let coordinate: CLLocationCoordinate2D
  /// Metres above the sea.
  public let altitude: CLLocationDistance
  public let horizontalAccuracy: CLLocationAccuracy
  public let verticalAccuracy: CLLocationAccuracy
  public let course: CLLocationDirection
  public let courseAccuracy: CLLocationDirectionAccuracy
  public let speed: CLLocationSpeed
  public let speedAccuracy: CLLocationSpeedAccuracy
  public let timestamp: Date
  /// What told the place; nil where nobody said. A route that comes from a health store has lost it.
  public let sourceInformation: CLLocationSourceInformation?
  /// On which storey the place is: always nil, as no initialiser takes one and nothing on Linux knows it.
  public var floor: CLFloor? { nil }

  public init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
    horizontalAccuracy hAccuracy: CLLocationAccuracy,
    verticalAccuracy vAccuracy: CLLocationAccuracy, course: CLLocationDirection,
    courseAccuracy: CLLocationDirectionAccuracy, speed: CLLocationSpeed,
    speedAccuracy: CLLocationSpeedAccuracy, timestamp: Date
  ) {
    self.coordinate = coordinate
    self.altitude = altitude
    horizontalAccuracy = hAccuracy
    verticalAccuracy = vAccuracy
    self.course = course
    self.courseAccuracy = courseAccuracy
    self.speed = speed
    self.speedAccuracy = speedAccuracy
    self.timestamp = timestamp
    sourceInformation = nil
  }

  public init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
    horizontalAccuracy hAccuracy: CLLocationAccuracy,
    verticalAccuracy vAccuracy: CLLocationAccuracy, course: CLLocationDirection,
    courseAccuracy: CLLocationDirectionAccuracy, speed: CLLocationSpeed,
    speedAccuracy: CLLocationSpeedAccuracy, timestamp: Date, sourceInfo: CLLocationSourceInformation
  ) {
    self.coordinate = coordinate
    self.altitude = altitude
    horizontalAccuracy = hAccuracy
    verticalAccuracy = vAccuracy
    self.course = course
    self.courseAccuracy = courseAccuracy
    self.speed = speed
    self.speedAccuracy = speedAccuracy
    self.timestamp = timestamp
    sourceInformation = sourceInfo
  }

  /// Course and speed accuracy are unknown (-1).
  public convenience init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
    horizontalAccuracy hAccuracy: CLLocationAccuracy,
    verticalAccuracy vAccuracy: CLLocationAccuracy, course: CLLocationDirection, speed: CLLocationSpeed,
    timestamp: Date
  ) {
    self.init(
      coordinate: coordinate, altitude: altitude, horizontalAccuracy: hAccuracy, verticalAccuracy: vAccuracy,
      course: course, courseAccuracy: -1, speed: speed, speedAccuracy: -1, timestamp: timestamp)
  }

  /// Course and speed are not known.
  public convenience init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
    horizontalAccuracy hAccuracy: CLLocationAccuracy,
    verticalAccuracy vAccuracy: CLLocationAccuracy, timestamp: Date
  ) {
    self.init(
      coordinate: coordinate, altitude: altitude, horizontalAccuracy: hAccuracy, verticalAccuracy: vAccuracy,
      course: -1, speed: -1, timestamp: timestamp)
  }

  /// A place now; nothing else is known of it.
  public convenience init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
    self.init(
      coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), altitude: 0,
      horizontalAccuracy: 0, verticalAccuracy: -1, timestamp: Date())
  }

  /// Along the surface of the earth, whatever the altitudes.
  public func distance(from location: CLLocation) -> CLLocationDistance {
    location.coordinate.distance(to: coordinate)
  }

  private var numbers: [Double] {
    [
      coordinate.latitude, coordinate.longitude, altitude, horizontalAccuracy, verticalAccuracy, course,
      courseAccuracy, speed, speedAccuracy,
    ]
  }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CLLocation else { return false }
    return other.timestamp == timestamp && other.numbers == numbers
      && other.sourceInformation == sourceInformation
  }

  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(timestamp)
    hasher.combine(coordinate.latitude)
    hasher.combine(coordinate.longitude)
    return hasher.finalize()
  }

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    for (key, number) in zip(ArchiveKey.numbers, numbers) { coder.encode(number, forKey: key) }
    coder.encode(timestamp as NSDate, forKey: ArchiveKey.timestamp)
    // Left out and not null where there is none, as older versions wrote it.
    if let sourceInformation { coder.encode(sourceInformation, forKey: ArchiveKey.sourceInformation) }
  }

  public required init?(coder: NSCoder) {
    guard let timestamp = coder.decodeObject(of: NSDate.self, forKey: ArchiveKey.timestamp),
      ArchiveKey.numbers.allSatisfy(coder.containsValue)
    else { return nil }
    let numbers = ArchiveKey.numbers.map { coder.decodeDouble(forKey: $0) }
    coordinate = CLLocationCoordinate2D(latitude: numbers[0], longitude: numbers[1])
    altitude = numbers[2]
    horizontalAccuracy = numbers[3]
    verticalAccuracy = numbers[4]
    course = numbers[5]
    courseAccuracy = numbers[6]
    speed = numbers[7]
    speedAccuracy = numbers[8]
    self.timestamp = timestamp as Date
    // Foundation takes an absent key for damage.
    sourceInformation =
      coder.containsValue(forKey: ArchiveKey.sourceInformation)
      ? coder.decodeObject(of: CLLocationSourceInformation.self, forKey: ArchiveKey.sourceInformation) : nil
  }

  private enum ArchiveKey {
    /// In the order of `numbers`.
    static let numbers = [
      "kCLLocationCodingKeyCoordinateLatitude", "kCLLocationCodingKeyCoordinateLongitude",
      "kCLLocationCodingKeyAltitude", "kCLLocationCodingKeyHorizontalAccuracy",
      "kCLLocationCodingKeyVerticalAccuracy", "kCLLocationCodingKeyCourse",
      "kCLLocationCodingKeyCourseAccuracy", "kCLLocationCodingKeySpeed", "kCLLocationCodingKeySpeedAccuracy",
    ]
    static let timestamp = "kCLLocationCodingKeyTimestamp"
    static let sourceInformation = "sourceInformation"
  }
}
