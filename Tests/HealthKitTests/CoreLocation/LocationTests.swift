import CoreLocation
import Testing

@Suite struct LocationTests {
  private func location(latitude: Double = 52.5163, timestamp: Double = 0, speed: Double = 3) -> CLLocation {
    CLLocation(
      coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: 13.3777), altitude: 34,
      horizontalAccuracy: 5, verticalAccuracy: 3, course: 90, courseAccuracy: 2, speed: speed,
      speedAccuracy: 0.5, timestamp: Date(timeIntervalSinceReferenceDate: timestamp))
  }

  @Test func `values that were not given are unknown`() {
    let place = CLLocation(latitude: 1, longitude: 2)
    #expect(place.coordinate.latitude == 1 && place.coordinate.longitude == 2)
    #expect(place.altitude == 0 && place.horizontalAccuracy == 0 && place.verticalAccuracy == -1)
    #expect(place.course == -1 && place.speed == -1)
    #expect(place.courseAccuracy == -1 && place.speedAccuracy == -1)
    let moving = CLLocation(
      coordinate: place.coordinate, altitude: 1, horizontalAccuracy: 2, verticalAccuracy: 3, course: 4,
      speed: 5,
      timestamp: Date(timeIntervalSinceReferenceDate: 6))
    #expect(moving.course == 4 && moving.speed == 5 && moving.courseAccuracy == -1)
  }

  @Test func `the source information of a location is kept, the floor is not`() throws {
    let source = CLLocationSourceInformation(softwareSimulationState: true, andExternalAccessoryState: false)
    let withSource = CLLocation(
      coordinate: CLLocationCoordinate2DMake(52.5163, 13.3777), altitude: 34, horizontalAccuracy: 5,
      verticalAccuracy: 3, course: 90, courseAccuracy: 2, speed: 3, speedAccuracy: 0.5,
      timestamp: Date(timeIntervalSinceReferenceDate: 0), sourceInfo: source)
    #expect(withSource.sourceInformation?.isSimulatedBySoftware == true)
    #expect(withSource.sourceInformation?.isProducedByAccessory == false)
    #expect(withSource != location() && location().sourceInformation == nil)
    #expect(withSource.floor == nil)
    for place in [withSource, location()] {
      let data = try NSKeyedArchiver.archivedData(withRootObject: place, requiringSecureCoding: true)
      #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: CLLocation.self, from: data) == place)
    }
  }

  /// The expected distances are those of GeographicLib 2 (C. F. F. Karney), which is accurate to nanometers.
  @Test(arguments: [
    (0.0, 0.0, 0.0, 1.0, 111_319.490793), (0, 0, 1, 0, 110_574.388558),
    (50.06632, -5.71475, 58.64402, -3.07009, 969_954.166314),
    (-37.951033, 144.424868, -37.652821, 143.926496, 54_972.227315),
    (10, 179.9, 10, -179.9, 21_927.872478), (90, 0, -90, 0, 20_003_931.4586),
  ])
  func `distances follow the ellipsoid`(
    latitude: Double, longitude: Double, toLatitude: Double, toLongitude: Double, metres: Double
  ) {
    let from = CLLocation(latitude: latitude, longitude: longitude)
    let to = CLLocation(latitude: toLatitude, longitude: toLongitude)
    #expect(abs(from.distance(from: to) - metres) < max(0.01, metres * 1e-6), "\(from.distance(from: to))")
    #expect(
      from.distance(from: to) == to.distance(from: from)
        || abs(from.distance(from: to) - to.distance(from: from)) < 1e-6)
    #expect(from.distance(from: from) == 0)
  }

  @Test func `distances to nearly antipodal points are within half a percent`() {
    let distance = CLLocation(latitude: 0, longitude: 0).distance(
      from: CLLocation(latitude: 0.3, longitude: 179.7))
    #expect(abs(distance / 19_965_251.408561 - 1) < 0.005)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300])
  func `no coordinate causes a trap or an endless loop`(_ value: Double) {
    let distance = CLLocation(latitude: value, longitude: value).distance(
      from: CLLocation(latitude: 1, longitude: value))
    #expect(distance.isNaN || distance.isFinite)
    #expect(!CLLocationCoordinate2DIsValid(CLLocationCoordinate2D(latitude: value, longitude: 0)))
    #expect(!CLLocationCoordinate2DIsValid(CLLocationCoordinate2D(latitude: 0, longitude: value)))
  }

  @Test func `a coordinate is valid within ±90 and ±180 degrees`() {
    #expect(CLLocationCoordinate2DIsValid(CLLocationCoordinate2D(latitude: -90, longitude: 180)))
    #expect(!CLLocationCoordinate2DIsValid(CLLocationCoordinate2D(latitude: 90.001, longitude: 0)))
    #expect(!CLLocationCoordinate2DIsValid(CLLocationCoordinate2D(latitude: 0, longitude: -180.001)))
    #expect(!CLLocationCoordinate2DIsValid(kCLLocationCoordinate2DInvalid))
    #expect(CLLocationCoordinate2DIsValid(CLLocationCoordinate2D()))
  }

  @Test func `locations are equal if all values are`() {
    #expect(location() == location() && location().hash == location().hash)
    #expect(location() != location(latitude: 52.5164))
    #expect(location() != location(timestamp: 1))
    #expect(location() != location(speed: 4))
    #expect(location().copy() as? CLLocation == location())
  }

  @Test func `all values can be archived`() throws {
    let archive = try NSKeyedArchiver.archivedData(withRootObject: location(), requiringSecureCoding: true)
    #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: CLLocation.self, from: archive) == location())
  }
}

// A conformance that applications declare themselves must still compile.
extension CLLocationCoordinate2D: Equatable {
  static func == (left: CLLocationCoordinate2D, right: CLLocationCoordinate2D) -> Bool {
    left.latitude == right.latitude && left.longitude == right.longitude
  }
}
