public import Foundation

/// A location with its time and accuracy. It is immutable. Two locations are equal if all their properties
/// are.
// @unchecked: the class is open, like Apple's. All state is `let` and Sendable.
open class CLLocation: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The latitude and longitude.
  public let coordinate: CLLocationCoordinate2D
  /// Meters above sea level.
  public let altitude: CLLocationDistance
  /// The accuracy of the coordinate in meters. Negative if the coordinate is not valid.
  public let horizontalAccuracy: CLLocationAccuracy
  /// The accuracy of the altitude in meters. Negative if the altitude is not valid.
  public let verticalAccuracy: CLLocationAccuracy
  /// The direction of travel in degrees clockwise from true north. Negative if unknown.
  public let course: CLLocationDirection
  public let courseAccuracy: CLLocationDirectionAccuracy
  /// The speed in meters per second. Negative if unknown.
  public let speed: CLLocationSpeed
  public let speedAccuracy: CLLocationSpeedAccuracy
  /// The time at which the location was determined.
  public let timestamp: Date
  /// The source of the location, or nil if it is unknown. Workout routes in the store do not include it.
  public let sourceInformation: CLLocationSourceInformation?
  /// The floor of the location. Always nil, because no initializer takes one and no source on Linux reports
  /// it.
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

  /// Creates a location with unknown course and speed accuracy (-1).
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

  /// Creates a location with unknown course and speed (-1).
  public convenience init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
    horizontalAccuracy hAccuracy: CLLocationAccuracy,
    verticalAccuracy vAccuracy: CLLocationAccuracy, timestamp: Date
  ) {
    self.init(
      coordinate: coordinate, altitude: altitude, horizontalAccuracy: hAccuracy, verticalAccuracy: vAccuracy,
      course: -1, speed: -1, timestamp: timestamp)
  }

  /// Creates a location with the current time and only a coordinate.
  public convenience init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
    self.init(
      coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), altitude: 0,
      horizontalAccuracy: 0, verticalAccuracy: -1, timestamp: Date())
  }

  /// Returns the distance to another location in meters along the earth's surface, ignoring altitudes.
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
    // If the source is unknown, omit the key instead of writing a null. Archives of older versions lack the
    // key as well.
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
    // Test for the key before decoding, because Foundation treats a missing key as a decoding error.
    sourceInformation =
      coder.containsValue(forKey: ArchiveKey.sourceInformation)
      ? coder.decodeObject(of: CLLocationSourceInformation.self, forKey: ArchiveKey.sourceInformation) : nil
  }

  private enum ArchiveKey {
    /// The archive keys of the numeric properties, in the order of the property `numbers`.
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

/// A floor of a building. Programs can read floors but not create them. No location source on Linux reports a
/// floor.
// @unchecked: the class is open, like Apple's. All state is `let`.
open class CLFloor: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The floor number: 0 is the ground floor, negative numbers are below it.
  public let level: Int

  init(level: Int) {
    self.level = level
  }

  open override func isEqual(_ object: Any?) -> Bool { (object as? CLFloor)?.level == level }
  open override var hash: Int { level }

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(level, forKey: ArchiveKey.level)
  }

  public required init?(coder: NSCoder) {
    guard coder.containsValue(forKey: ArchiveKey.level) else { return nil }
    level = coder.decodeInteger(forKey: ArchiveKey.level)
  }

  private enum ArchiveKey {
    static let level = "level"
  }
}

/// Information about the source of a location, which helps to judge its reliability.
// @unchecked: the class is open, like Apple's. All state is `let`.
open class CLLocationSourceInformation: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// Whether software simulated the location.
  public let isSimulatedBySoftware: Bool
  /// Whether an accessory reported the location, such as a receiver in a car.
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
