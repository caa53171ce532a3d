import HeartRateVariability

/// The zones that a request names.
struct RequestedZones: Sendable {
  var bounds: HeartRateZones
  /// The maximum heart rate in beats per minute, for the training load; `nil` if the request has only bounds.
  var maximum: Double?
}

extension PageRequest {
  /// Returns the zones that a request names; `nil` if it has neither `maximum` nor `bounds`. With both, `bounds`
  /// are the limits of the zones.
  func zones() throws(PageError) -> RequestedZones? {
    let maximum = try number("maximum", in: 1...1000)
    let zones: HeartRateZones?
    if let text = parameters["bounds"] {
      let bounds = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
      guard !bounds.contains(nil) else {
        throw .argument("The parameter bounds must be heart rates separated by commas.")
      }
      zones = HeartRateZones(bounds: bounds.compactMap(\.self))
    } else if let maximum {
      zones = HeartRateZones(ofMaximum: maximum)
    } else {
      return nil
    }
    guard let zones else { throw .argument("The bounds of zones must be above 0 and ascending.") }
    return RequestedZones(bounds: zones, maximum: maximum)
  }
}
