/// A location of a route. A negative accuracy, speed or course means that the value is unknown.
package struct LocationRecord: Hashable, Sendable {
  /// Seconds since 2001-01-01 00:00 UTC, unrounded.
  package var timestamp: Double
  /// Degrees.
  package var latitude: Double
  /// Degrees.
  package var longitude: Double
  /// Meters.
  package var altitude: Double
  /// Meters.
  package var horizontalAccuracy: Double
  /// Meters.
  package var verticalAccuracy: Double
  /// Degrees from north.
  package var course: Double
  /// Degrees.
  package var courseAccuracy: Double
  /// Meters per second.
  package var speed: Double
  /// Meters per second.
  package var speedAccuracy: Double

  package init(
    timestamp: Double, latitude: Double, longitude: Double, altitude: Double, horizontalAccuracy: Double,
    verticalAccuracy: Double, course: Double, courseAccuracy: Double, speed: Double, speedAccuracy: Double
  ) {
    self.timestamp = timestamp
    self.latitude = latitude
    self.longitude = longitude
    self.altitude = altitude
    self.horizontalAccuracy = horizontalAccuracy
    self.verticalAccuracy = verticalAccuracy
    self.course = course
    self.courseAccuracy = courseAccuracy
    self.speed = speed
    self.speedAccuracy = speedAccuracy
  }
}
