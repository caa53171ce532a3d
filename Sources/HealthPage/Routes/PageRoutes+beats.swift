import Foundation
import HealthKit
import HealthSystem

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
      guard let zones = try question.zones() else {
        throw PageError.argument("Name the maximum heart rate, or the bounds of the zones.")
      }
      let sources = try await ZonesView.bySource(
        in: stores.store(for: question).healthStore, matching: question.selection(), in: zones.bounds,
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
