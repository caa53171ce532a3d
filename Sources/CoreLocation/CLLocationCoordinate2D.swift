/// A coordinate on the WGS84 ellipsoid. It is not `Equatable`, like Apple's type, so that programs can add
/// the conformance.
public struct CLLocationCoordinate2D: Sendable {
  /// Degrees, positive north of the equator.
  public var latitude: CLLocationDegrees
  /// Degrees, positive east of the Greenwich meridian.
  public var longitude: CLLocationDegrees

  /// Creates the coordinate with latitude and longitude 0.
  public init() {
    self.init(latitude: 0, longitude: 0)
  }

  public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

/// Creates a coordinate.
// swift-format-ignore: AlwaysUseLowerCamelCase
public func CLLocationCoordinate2DMake(
  _ latitude: CLLocationDegrees, _ longitude: CLLocationDegrees
) -> CLLocationCoordinate2D {
  CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
}

/// A coordinate that is not valid.
public let kCLLocationCoordinate2DInvalid = CLLocationCoordinate2D(latitude: -180, longitude: -180)

/// Returns whether a coordinate is valid: a latitude within ±90° and a longitude within ±180°.
// swift-format-ignore: AlwaysUseLowerCamelCase
public func CLLocationCoordinate2DIsValid(_ coord: CLLocationCoordinate2D) -> Bool {
  abs(coord.latitude) <= 90 && abs(coord.longitude) <= 180
}

// MARK: - Distances

extension CLLocationCoordinate2D {
  /// The equatorial radius of the WGS84 ellipsoid in meters, and its flattening.
  private static let equatorialRadius = 6_378_137.0
  private static let flattening = 1 / 298.257223563
  private static let polarRadius = equatorialRadius * (1 - flattening)
  /// The radius in meters of a sphere with the same surface area as the WGS84 ellipsoid.
  private static let meanRadius = 6_371_007.2

  /// Returns the distance in meters along the ellipsoid, using T. Vincenty's inverse formula (Survey Review
  /// XXIII 176, 1975).
  ///
  /// For nearly antipodal points the formula does not converge. The result is then the distance on a sphere,
  /// with an error of at most 0.5 %.
  func distance(to other: CLLocationCoordinate2D) -> CLLocationDistance {
    let f = Self.flattening
    let difference = Self.radians(other.longitude - longitude)
    let u1 = atan((1 - f) * tan(Self.radians(latitude)))
    let u2 = atan((1 - f) * tan(Self.radians(other.latitude)))
    var lambda = difference
    for _ in 0..<100 {
      let (sinLambda, cosLambda) = (sin(lambda), cos(lambda))
      let sinSigma = hypot(cos(u2) * sinLambda, cos(u1) * sin(u2) - sin(u1) * cos(u2) * cosLambda)
      guard sinSigma != 0 else { return 0 }
      let cosSigma = sin(u1) * sin(u2) + cos(u1) * cos(u2) * cosLambda
      let sigma = atan2(sinSigma, cosSigma)
      let sinAlpha = cos(u1) * cos(u2) * sinLambda / sinSigma
      let cosSquaredAlpha = 1 - sinAlpha * sinAlpha
      // Avoid a division by 0 if both points are on the equator. The term then has no effect on the distance.
      let cos2SigmaM = cosSquaredAlpha == 0 ? 0 : cosSigma - 2 * sin(u1) * sin(u2) / cosSquaredAlpha
      let c = f / 16 * cosSquaredAlpha * (4 + f * (4 - 3 * cosSquaredAlpha))
      let last = lambda
      lambda =
        difference + (1 - c) * f * sinAlpha
        * (sigma + c * sinSigma * (cos2SigmaM + c * cosSigma * (2 * cos2SigmaM * cos2SigmaM - 1)))
      guard abs(lambda) <= .pi else { break }
      if abs(lambda - last) < 1e-12 {
        return Self.length(sigma, sinSigma, cosSigma, cos2SigmaM, cosSquaredAlpha)
      }
    }
    return sphericalDistance(to: other)
  }

  private static func length(
    _ sigma: Double, _ sinSigma: Double, _ cosSigma: Double, _ cos2SigmaM: Double, _ cosSquaredAlpha: Double
  ) -> CLLocationDistance {
    let ratio = equatorialRadius / polarRadius
    let uSquared = cosSquaredAlpha * (ratio * ratio - 1)
    let a = 1 + uSquared / 16384 * (4096 + uSquared * (-768 + uSquared * (320 - 175 * uSquared)))
    let b = uSquared / 1024 * (256 + uSquared * (-128 + uSquared * (74 - 47 * uSquared)))
    let squared = cos2SigmaM * cos2SigmaM
    let last = b / 6 * cos2SigmaM * (4 * sinSigma * sinSigma - 3) * (4 * squared - 3)
    let deltaSigma = b * sinSigma * (cos2SigmaM + b / 4 * (cosSigma * (2 * squared - 1) - last))
    return polarRadius * a * (sigma - deltaSigma)
  }

  private func sphericalDistance(to other: CLLocationCoordinate2D) -> CLLocationDistance {
    let latitudes = (Self.radians(latitude), Self.radians(other.latitude))
    let a = sin((latitudes.1 - latitudes.0) / 2)
    let b = sin(Self.radians(other.longitude - longitude) / 2)
    let haversine = a * a + cos(latitudes.0) * cos(latitudes.1) * b * b
    return 2 * Self.meanRadius * asin(min(1, haversine.squareRoot()))
  }

  private static func radians(_ degrees: Double) -> Double { degrees.remainder(dividingBy: 360) * .pi / 180 }
}
