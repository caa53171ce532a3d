import Foundation
import HealthKit
import HealthSystem
import HeartRateVariability

extension PageRoutes {
  /// Adds the routes for beats, heart rate variability and zones.
  mutating func addBeats(_ stores: StoreCache) {
    reads["/api/beats"] = { question in
      // With 10,000 pixels, up to about two hours of exercise are returned as individual intervals.
      guard let pixels = try question.count("pixels", in: 1...10_000) else {
        throw PageError.argument("The parameter pixels is missing.")
      }
      return try .json(
        try await BeatsResponse.of(
          stores.store(for: question).healthStore, during: question.span(),
          source: question.parameters["source"], pixels: pixels))
    }
    reads["/api/variability"] = { question in
      try .json(
        try await VariabilityResponse.of(
          stores.store(for: question).healthStore, during: question.span(),
          source: question.parameters["source"],
          every: Interval(question.parameters["window"] ?? "5m").seconds))
    }
    reads["/api/zones"] = { question in
      let sources = try await ZonesView.bySource(
        in: stores.store(for: question).healthStore, matching: question.selection(), in: question.zones(),
        maximum: question.number("maximum", in: 1...1000))
      let views = sources.map { source, zones in
        var view = zones
        view.name = source.name
        return view
      }
      return try .json(["sources": views])
    }
  }
}

extension PageRequest {
  /// Returns the zones that the parameters of the request describe.
  /// - Throws: ``PageError`` if there is neither a maximum nor bounds, or they are invalid.
  fileprivate func zones() throws(PageError) -> HeartRateZones {
    let zones: HeartRateZones?
    if let text = parameters["bounds"] {
      let bounds = text.split(separator: ",").map { Double($0) }
      zones = HeartRateZones(bounds: bounds.compactMap(\.self))
      guard !bounds.contains(nil) else {
        throw .argument("The parameter bounds must be heart rates separated by commas.")
      }
    } else if let maximum = try number("maximum", in: 1...1000) {
      let resting = try number("resting", in: 1...1000)
      zones =
        resting.map { HeartRateZones(ofReserveFrom: $0, to: maximum) } ?? HeartRateZones(ofMaximum: maximum)
    } else {
      throw .argument("Name the maximum heart rate, or the bounds of the zones.")
    }
    guard let zones else { throw .argument("The bounds of zones must be above 0 and ascending.") }
    return zones
  }
}
