import Foundation
import HealthSystem

extension PageRoutes {
  /// Adds the state of monitors, and gaps.
  mutating func addMonitors(_ monitors: PageMonitors, _ stores: StoreCache) {
    reads["/api/monitors"] = { question in
      try .json(
        try await monitors.report(stores.store(for: question), stores.person(for: question)))
    }
    reads["/api/gaps"] = { question in
      try .json(GapsResponse(try await monitors.gaps(stores.store(for: question), question.span())))
    }
  }
}

struct GapsResponse: Codable, Sendable {
  /// Maximum number of gaps. A chart cannot show more; the longest are kept.
  static let most = 2000

  /// In order of time.
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
