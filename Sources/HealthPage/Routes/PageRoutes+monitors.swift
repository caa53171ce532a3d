import Foundation
import HealthSystem

extension PageRoutes {
  /// Adds the routes for the state of monitors, and for the periods without measurements.
  mutating func addMonitors(_ monitors: PageMonitors, _ stores: StoreCache) {
    reads["/api/monitors"] = { request in
      try .json(
        try await monitors.report(stores.store(for: request), stores.person(for: request)))
    }
    reads["/api/gaps"] = { request in
      try .json(GapsResponse(try await monitors.gaps(stores.store(for: request), request.span())))
    }
  }
}

struct GapsResponse: Codable, Sendable {
  /// Maximum number of gaps, because a chart cannot show more. If there are more, the longest ones are
  /// returned.
  static let most = 2000

  /// The gaps in chronological order.
  var gaps: [GapView]
  /// Whether shorter gaps were left out.
  var cut: Bool?

  init(_ gaps: [GapView]) {
    guard gaps.count > Self.most else {
      self.gaps = gaps
      return
    }
    let longest = gaps.sorted { $0.duration ?? .infinity > $1.duration ?? .infinity }.prefix(Self.most)
    self.gaps = longest.sorted { $0.start < $1.start }
    cut = true
  }
}
