import CoreLocation
public import Foundation
import HealthStorage

/// The route of a workout: a series of locations. `HKWorkoutRouteBuilder` creates routes,
/// `HKWorkoutRouteQuery` reads their locations.
// @unchecked: HKObject is open. All state is `let`, Sendable or set before the object is shared.
open class HKWorkoutRoute: HKSeriesSample, @unchecked Sendable {
  /// The encoded locations; nil if the route was returned by a query, because queries do not read locations.
  let locations: [UInt8]?

  init(count: Int, locations: [UInt8]?, _ interval: SampleInterval, _ origin: ObjectOrigin) {
    self.locations = locations
    super.init(.workoutRoute(), count: count, interval, origin)
  }

  /// Decodes a route without its locations; an archive does not contain them.
  public required init?(coder: NSCoder) {
    guard HKSample.type(from: coder) == HKSeriesType.workoutRoute() else { return nil }
    locations = nil
    super.init(coder: coder)
  }

  override var content: SampleRecord.Content? {
    locations.map { .locationSeries(count: count, locations: $0) }
  }

  /// Creates a route from locations, in any order.
  /// - Parameter locations: At least one location.
  convenience init(
    _ locations: [LocationRecord], device: HKDevice?, metadata: ObjectMetadata?
  ) throws(HKValidationError) {
    // Sort by time. Locations with the same timestamp keep their order.
    let order = locations.indices.sorted {
      (locations[$0].timestamp, $0) < (locations[$1].timestamp, $1)
    }
    let sorted = order.map { locations[$0] }
    guard let first = sorted.first, let last = sorted.last else {
      throw HKValidationError("a workout route needs a location")
    }
    let interval = try SampleInterval(start: first.date, end: last.date, of: HKSeriesType.workoutRoute())
    self.init(
      count: sorted.count, locations: LocationCodec.encode(sorted), interval,
      ObjectOrigin(device: device, metadata: metadata))
  }
}

extension LocationRecord {
  init(_ location: CLLocation) {
    self.init(
      timestamp: location.timestamp.timeIntervalSinceReferenceDate, latitude: location.coordinate.latitude,
      longitude: location.coordinate.longitude, altitude: location.altitude,
      horizontalAccuracy: location.horizontalAccuracy, verticalAccuracy: location.verticalAccuracy,
      course: location.course, courseAccuracy: location.courseAccuracy, speed: location.speed,
      speedAccuracy: location.speedAccuracy)
  }

  var date: Date { Date(timeIntervalSinceReferenceDate: timestamp) }

  var location: CLLocation {
    CLLocation(
      coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), altitude: altitude,
      horizontalAccuracy: horizontalAccuracy, verticalAccuracy: verticalAccuracy, course: course,
      courseAccuracy: courseAccuracy, speed: speed, speedAccuracy: speedAccuracy, timestamp: date)
  }
}
