/// A location of a route. If an accuracy, the speed or the course is negative, the value is unknown.
package struct LocationRecord: Hashable, Sendable {
  /// The time in seconds since 2001-01-01 00:00 UTC, not rounded.
  package var timestamp: Double
  /// In degrees.
  package var latitude: Double
  /// In degrees.
  package var longitude: Double
  /// In meters.
  package var altitude: Double
  /// In meters.
  package var horizontalAccuracy: Double
  /// In meters.
  package var verticalAccuracy: Double
  /// In degrees clockwise from north.
  package var course: Double
  /// In degrees.
  package var courseAccuracy: Double
  /// In meters per second.
  package var speed: Double
  /// In meters per second.
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
