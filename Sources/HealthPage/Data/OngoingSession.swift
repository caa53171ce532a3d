import Foundation
import HealthKit
import HealthSystem
import HeartRateVariability

/// The session of a source that is still measuring, from its start to the last heart rate. Unlike other
/// sessions, it may be shorter than three minutes, because it continues.
struct OngoingSession: Codable, Sendable {
  struct Figures: Codable, Sendable {
    /// Times of the first and the last heart rate.
    var start: Date
    var end: Date
    // Statistics of the session, as `hrgate stats` prints them.
    var count: Int
    var min: Double?
    var max: Double?
    var average: Double?
  }

  /// The unit of the statistics.
  var unit: String
  /// The session; absent if the source is not measuring.
  var session: Figures?
  /// Time in zones, if the request names zones.
  var zones: ZonesView?
  /// The laps, including the current one; empty if the user has not marked any.
  var laps: [SessionLaps.Lap]

  static func of(
    _ system: SystemStore, _ source: String, zones: RequestedZones?, now: Date = Date()
  ) async throws -> OngoingSession {
    let (store, type) = (system.healthStore, HKQuantityType(.heartRate))
    var response = OngoingSession(unit: try await store.shownUnit(of: type).unitString, laps: [])
    guard let span = try await span(of: source, in: store, now: now) else { return response }
    // Extend the range slightly to include the last heart rate, which is exactly at the end.
    let within = Selection(from: span.start, to: span.end + 0.001, source: source)
    let figures = try await store.figures(of: type, in: within.window)
    response.session = Figures(
      start: span.start, end: span.end, count: figures.count, min: figures.min, max: figures.max,
      average: figures.average)
    if let zones {
      response.zones = try await ZonesView.bySource(
        in: store, matching: within.predicate(), in: zones.bounds, maximum: zones.maximum,
        holdsLast: false
      ).first?.zones
    }
    response.laps = try await SessionLaps(of: system).laps(of: span, from: source, in: store)
    return response
  }

  /// Returns the time span from the start of a source's ongoing session to its last heart rate. Searches the
  /// last 6 hours first, and a longer time if the session may have started before.
  static func span(of source: String, in store: HKHealthStore, now: Date) async throws
    -> DateInterval?
  {
    let edge = WearSessions.longestHole + WearSessions.nearest
    for reach in [6, 48, 16 * 24].map({ $0 * 3600.0 }) {
      let looked = Selection(from: now - reach, to: nil, source: source)
      let sessions = try await WearSessions.of(store, matching: looked.predicate())
      guard let found = sessions.ongoing(of: source, at: now) else { return nil }
      if now.timeIntervalSince(found.start) < reach - edge || reach > 300 * 3600 { return found }
    }
    return nil
  }
}
