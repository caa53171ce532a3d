import Foundation
import HealthKit
import HealthSystem
import HeartRateVariability

/// The session of a source that is measuring now, since its start. Sessions of less than three minutes are
/// included, because they go on.
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
  /// Absent if the source is not measuring.
  var session: Figures?
  /// Time in zones, if the request names a maximum.
  var zones: ZonesView?
  /// Empty if no lap is marked. The last one goes on.
  var laps: [SessionLaps.Lap]

  static func of(
    _ system: SystemStore, _ source: String, maximum: Double?, now: Date = Date()
  ) async throws -> OngoingSession {
    let (store, type) = (system.healthStore, HKQuantityType(.heartRate))
    var answer = OngoingSession(unit: try await store.shownUnit(of: type).unitString, laps: [])
    guard let span = try await span(of: source, in: store, now: now) else { return answer }
    // The last heart rate is at the very end.
    let within = Selection(from: span.start, to: span.end + 0.001, source: source)
    let figures = try await store.figures(of: type, in: within.window)
    answer.session = Figures(
      start: span.start, end: span.end, count: figures.count, min: figures.min, max: figures.max,
      average: figures.average)
    if let maximum, let bounds = HeartRateZones(ofMaximum: maximum) {
      answer.zones = try await ZonesView.bySource(
        in: store, matching: within.predicate(), in: bounds, maximum: maximum
      ).first?.zones
    }
    answer.laps = try await SessionLaps(of: system).laps(of: span, from: source, in: store)
    return answer
  }

  /// Returns the time since a source began to measure. It is looked for in a time that grows until the
  /// session begins inside.
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
