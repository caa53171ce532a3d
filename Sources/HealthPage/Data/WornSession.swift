import Foundation
import HealthDataSync
import HealthKit
import HealthSystem
import HeartRateVariability

/// A session with everything computed from it, in the form of the results of `hrgate zones`, `recovery` and
/// `hrv`.
struct WornSession: Encodable, Sendable {
  /// The unit of the session's heart rates.
  var unit: String
  var session: WornResponse.Session
  var lowest: TimedValue?
  var highest: TimedValue?
  /// The time in zones, and the training load if the request contains a maximum heart rate. Absent if the
  /// request names no zones.
  var zones: ZonesView?
  /// The values with which Banister's training impulse was computed. Absent if the resting heart rate or the
  /// user's sex is unknown.
  var impulse: Impulse?
  /// The heart-rate variability of the whole session. Absent if it is longer than a day or has no beats.
  var variability: VariabilityView?
  /// The heart-rate recovery after exercise. The exercise ended at the time in the request or, without one,
  /// at the end of the last workout.
  var recovery: RecoveryView?
  /// The workouts that mostly overlap with the session, in chronological order; for a workout that was not
  /// detected in heart rates, this workout.
  var workouts: [SampleLine]
  /// The laps; empty if the user has not marked any.
  var laps: [SessionLaps.Lap]
  /// The note that the user wrote about the session.
  var note: String?

  struct Impulse: Codable, Sendable {
    /// The latest resting heart rate in the two months before the session, in beats per minute.
    var resting: Double
    /// The curve that weights the effort: `women` or `men`.
    var weighting: String
  }

  /// The parameters of a request for a session.
  struct Request: Sendable {
    var source: String
    /// Any time in the session.
    var moment: Date
    var zones: RequestedZones?
    /// The time at which the exercise ended.
    var ended: Date?
    /// The workout, for a session that was not detected in heart rates.
    var workout: UUID?
  }

  static func of(_ system: SystemStore, _ request: Request) async throws -> WornSession {
    let store = system.healthStore
    let title = try await SessionTexts(.title, of: system)
    let units = try await store.shownUnits(of: HKWorkoutType.workoutType())
    if let identifier = request.workout {
      let workout = try await store.workout(identifier)
      let response = WornSession(
        unit: try await store.shownUnit(of: HKQuantityType(.heartRate)).unitString,
        session: try await WornResponse.Session(workout, in: units, title, store),
        workouts: [SampleLine(workout, in: units)], laps: [])
      return try await response.completed(system, request, ended: workout.endDate)
    }
    guard let span = try await span(of: request.source, at: request.moment, in: store) else {
      throw PageError.absent("There is no session at this time.")
    }
    let within = Selection(from: span.start, to: span.end + 0.001, source: request.source)
    let figures = try await store.figures(
      of: HKQuantityType(.heartRate), in: within.window, withSources: true)
    let name = figures.sources?.first { $0.source == request.source }?.name
    let workouts = try await SessionWorkouts.of(store, during: span).overlapping(span)
    let response = WornSession(
      unit: figures.unit,
      session: WornResponse.Session(
        source: request.source, name: name ?? request.source, start: span.start, end: span.end,
        count: figures.count, min: figures.min, max: figures.max, average: figures.average,
        title: title.text(of: span, from: request.source)),
      workouts: workouts.map { SampleLine($0, in: units) }, laps: [])
    return try await response.completed(system, request, ended: workouts.last?.endDate)
  }

  /// Returns the session with its note and everything that is computed from its heart rates.
  /// - Parameter ended: The end of the exercise, unless the request contains one.
  private func completed(
    _ system: SystemStore, _ request: Request, ended: Date? = nil
  ) async throws -> WornSession {
    var response = self
    let (store, source) = (system.healthStore, session.rateSource)
    let span = DateInterval(start: session.start, end: session.end)
    response.note = try await SessionTexts(.note, of: system).text(of: span, from: session.textSource)
    guard session.count > 0 else { return response }
    // Extend the range slightly to include the last heart rate, which is exactly at the end.
    let within = Selection(from: span.start, to: span.end + 0.001, source: source)
    let extremes = try await store.extremes(of: HKQuantityType(.heartRate), in: within)
    (response.lowest, response.highest) = (extremes?.lowest, extremes?.highest)
    if let zones = request.zones { try await response.addLoad(store, within, zones) }
    if let end = request.ended ?? ended {
      let of = Selection(from: nil, to: nil, source: source).predicate()
      let found = try await RecoveryView.bySource(in: store, after: end, from: of).first?.recovery
      response.recovery = found ?? RecoveryView(HeartRateSeries([]), nil, end: end)
    }
    response.variability = try await Self.variability(of: span, source, store)
    response.laps = try await SessionLaps(of: system).laps(of: span, from: session.source, in: store)
    return response
  }

  /// Returns the session that contains a time. Reads heart rates around that time, and extends the range
  /// until it contains the start and end of the session.
  static func span(
    of source: String, at moment: Date, in store: HKHealthStore
  ) async throws -> DateInterval? {
    let edge = WearSessions.longestHole + WearSessions.nearest
    for reach in [6, 48, 16 * 24].map({ $0 * 3600.0 }) {
      let looked = Selection(from: moment - reach, to: moment + 2 * reach, source: source)
      let sessions = try await WearSessions.all(in: store, matching: looked.predicate())
      guard let found = sessions.map(\.span).first(where: { SessionMarks.holds($0, moment) }) else {
        continue
      }
      let (before, after) = (
        moment.timeIntervalSince(found.start), found.end.timeIntervalSince(moment)
      )
      let isWhole = before < reach - edge && after < 2 * reach - edge
      if isWhole || reach > 300 * 3600 { return found }
    }
    return nil
  }

  private mutating func addLoad(
    _ store: HKHealthStore, _ selection: Selection, _ requested: RequestedZones
  ) async throws {
    impulse = try await Impulse.of(store, at: session.end)
    let weights: TrainingImpulse.Weighting = impulse?.weighting == "women" ? .women : .men
    let banister = impulse.flatMap { impulse in
      requested.maximum.flatMap {
        TrainingImpulse(resting: impulse.resting, maximum: $0, weighting: weights)
      }
    }
    if banister == nil { impulse = nil }
    zones = session.sufficient(
      try await ZonesView.bySource(
        in: store, matching: selection.predicate(), in: requested.bounds, maximum: requested.maximum,
        impulse: banister
      ).first?.zones)
    if zones == nil { impulse = nil }
  }

  private static func variability(
    of span: DateInterval, _ source: String, _ store: HKHealthStore
  ) async throws -> VariabilityView? {
    let seconds = Int(span.duration)
    guard (10...86_400).contains(seconds) else { return nil }
    return try await VariabilityResponse.of(store, during: span, source: source, every: seconds)
      .windows.first
  }
}

extension WornSession.Impulse {
  fileprivate static func of(_ store: HKHealthStore, at end: Date) async throws -> WornSession
    .Impulse?
  {
    let weighting: String
    switch try Characteristic.biologicalSex.text(in: store) {
    case "female": weighting = "women"
    case "male": weighting = "men"
    default: return nil
    }
    let before = Selection(from: end - 60 * 86_400, to: end, sources: [])
    let latest = try await store.latest(
      of: HKQuantityType(.restingHeartRate), before.predicate(),
      in: HKUnit.count().unitDivided(by: .minute()))
    return latest.map { WornSession.Impulse(resting: $0.value, weighting: weighting) }
  }
}

/// The workouts in a time range.
struct SessionWorkouts: Sendable {
  private let workouts: [HKWorkout]

  static func of(_ store: HKHealthStore, during span: DateInterval) async throws -> SessionWorkouts {
    let predicate = Selection(from: span.start, to: span.end, sources: []).predicate([])
    return SessionWorkouts(workouts: try await store.workouts(matching: predicate))
  }

  /// Returns the workouts that belong to a session.
  func overlapping(_ span: DateInterval) -> [HKWorkout] {
    workouts.filter { $0.belongs(to: span) }
  }
}

extension WornResponse {
  /// Adds the activity of each session's workout.
  mutating func addActivities(_ store: HKHealthStore) async throws {
    guard let first = sessions.map(\.start).min(), let last = sessions.map(\.end).max() else { return }
    let workouts = try await SessionWorkouts.of(
      store, during: DateInterval(start: first, end: last))
    for place in sessions.indices where sessions[place].workout == nil {
      let each = sessions[place]
      let workout = workouts.overlapping(DateInterval(start: each.start, end: each.end)).last
      sessions[place].activity = workout.map { SampleLine($0).workout?.activityType ?? "" }
    }
  }

  /// Adds each session's training load (Edwards).
  mutating func addLoads(maximum: Double, _ store: HKHealthStore) async throws {
    guard let bounds = HeartRateZones(ofMaximum: maximum) else { return }
    for place in sessions.indices {
      let each = sessions[place]
      guard each.count > 0 else { continue }
      let within = Selection(from: each.start, to: each.end + 0.001, source: each.rateSource)
      let zones = try await ZonesView.bySource(
        in: store, matching: within.predicate(), in: bounds, maximum: maximum
      ).first?.zones
      sessions[place].load = each.sufficient(zones)?.edwards
    }
  }
}
