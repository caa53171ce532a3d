import Foundation
import HealthKit
import HealthSystem

extension PageRoutes {
  /// Adds the routes for beats, heart rate variability and zones.
  mutating func addBeats(_ stores: StoreCache) {
    reads["/api/beats"] = { request in
      // With 10,000 pixels, up to about two hours of exercise are returned as individual intervals.
      guard let pixels = try request.count("pixels", in: 1...10_000) else {
        throw PageError.argument("The parameter pixels is missing.")
      }
      return try .json(
        try await BeatsResponse.of(
          stores.store(for: request).healthStore, during: request.span(),
          source: request.parameters["source"], pixels: pixels))
    }
    reads["/api/variability"] = { request in
      try .json(
        try await VariabilityResponse.of(
          stores.store(for: request).healthStore, during: request.span(),
          source: request.parameters["source"],
          every: Interval(request.parameters["window"] ?? "5m").seconds))
    }
    reads["/api/zones"] = { request in
      guard let zones = try request.zones() else {
        throw PageError.argument("Name the maximum heart rate, or the bounds of the zones.")
      }
      let sources = try await ZonesView.bySource(
        in: stores.store(for: request).healthStore, matching: request.selection(), in: zones.bounds,
        maximum: zones.maximum)
      let views = sources.map { source, zones in
        var view = zones
        view.name = source.name
        return view
      }
      return try .json(["sources": views])
    }
  }
}
