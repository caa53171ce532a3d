import Foundation
import HealthDataSync
import HealthKit
import HealthSystem

/// A session of the list: either detected in heart rates, or a workout without such heart rates.
enum FoundSession: Sendable {
  case worn(source: HKSource, span: DateInterval)
  case workout(HKWorkout)

  var source: HKSource {
    switch self {
    case .worn(let source, _): source
    case .workout(let workout): workout.sourceRevision.source
    }
  }

  var span: DateInterval {
    switch self {
    case .worn(_, let span): span
    case .workout(let workout): workout.span
    }
  }

  /// Returns the sessions that start in a time range, the latest first.
  static func all(in store: HKHealthStore, _ selection: Selection) async throws -> [FoundSession] {
    let worn = try await WearSessions.all(in: store, matching: selection.predicate())
    let workouts = try await unmeasured(in: store, selection, beside: worn.map(\.span))
    return (worn.map { .worn(source: $0.source, span: $0.span) } + workouts.map { .workout($0) })
      .sorted {
        ($1.span.start, $0.source.bundleIdentifier) < ($0.span.start, $1.source.bundleIdentifier)
      }
  }

  /// Returns the workouts that do not belong to a detected session, such as one that was entered by hand, or
  /// one of a watch that measures every few minutes.
  /// - Parameter worn: The sessions that were detected in the heart rates of the selection.
  private static func unmeasured(
    in store: HKHealthStore, _ selection: Selection, beside worn: [DateInterval]
  ) async throws -> [HKWorkout] {
    var unmeasured: [HKWorkout] = []
    for workout in try await store.workouts(matching: selection.predicate()) {
      var known = worn
      if selection.mayMissSessions(of: workout, worn) {
        let around = Selection(
          from: workout.startDate - reach, to: workout.endDate + reach, sources: [])
        known = try await WearSessions.all(in: store, matching: around.predicate()).map(\.span)
      }
      if !known.contains(where: workout.belongs) { unmeasured.append(workout) }
    }
    return unmeasured
  }

  /// Number of seconds before and after a workout that are searched for its session, if the session may reach
  /// beyond the requested range.
  private static let reach = 6 * 3600.0
}

extension Selection {
  /// Returns whether the heart rates of the selection may not contain the whole session of a workout: because
  /// other sources may have measured it, or because it may begin before the range or end after it.
  fileprivate func mayMissSessions(of workout: HKWorkout, _ found: [DateInterval]) -> Bool {
    let edge = WearSessions.longestHole + WearSessions.nearest
    func isCut(_ span: DateInterval) -> Bool {
      (from.map { span.start < $0 + edge } ?? false) || (to.map { span.end > $0 - edge } ?? false)
    }
    return !sources.isEmpty || isCut(workout.span)
      || found.contains { isCut($0) && $0.intersects(workout.span) }
  }
}

extension HKWorkout {
  var span: DateInterval { DateInterval(start: startDate, end: max(startDate, endDate)) }

  /// Returns whether the workout belongs to a session: at least half of the workout is in the session, or at
  /// least half of the session is in the workout.
  func belongs(to session: DateInterval) -> Bool {
    let common = min(session.end, endDate).timeIntervalSince(max(session.start, startDate))
    return common > 0 && 2 * common >= min(session.duration, endDate.timeIntervalSince(startDate))
  }
}

extension HKHealthStore {
  func workouts(matching predicate: NSPredicate?) async throws -> [HKWorkout] {
    try await reduceSamples(
      into: [HKWorkout](), [HKSamplePredicate<HKWorkout>.workout(predicate)]
    ) { $0.append($1) }
  }

  func workout(_ identifier: UUID) async throws -> HKWorkout {
    guard
      let found = try await workouts(matching: HKQuery.predicateForObject(with: identifier)).first
    else { throw PageError.absent("There is no such workout.") }
    return found
  }
}

extension WornResponse.Session {
  /// The fields of the workout, with the names that they have in the JSON of a sample.
  struct Workout: Codable, Sendable {
    struct Amount: Codable, Sendable {
      var value: Double
      var unit: String

      init?(_ value: MetadataValue?) {
        guard case .quantity(let quantity) = value else { return nil }
        (self.value, unit) = (quantity.doubleValue(for: quantity.unit), quantity.unit.unitString)
      }
    }

    var uuid: String
    var activityType: String
    /// The duration in seconds, not counting pauses.
    var duration: Double
    var totalEnergyBurned: Amount?
    var totalDistance: Amount?
  }

  /// Creates the session of a workout. Its statistics are those of the heart rates during the workout: of the
  /// source of the workout or, if it has none, of the source with the most values.
  init(
    _ workout: HKWorkout, in units: [HKQuantityType: HKUnit], _ titles: SessionTexts, _ store: HKHealthStore
  ) async throws {
    let source = workout.sourceRevision.source
    let part = SampleLine(workout, in: units).workout
    self.init(
      source: source.bundleIdentifier, name: source.name, start: workout.startDate, end: workout.endDate,
      count: 0, title: titles.text(of: workout.span, from: workout.uuid.uuidString),
      activity: part?.activityType,
      workout: part.map {
        Workout(
          uuid: workout.uuid.uuidString, activityType: $0.activityType, duration: $0.duration,
          totalEnergyBurned: .init($0.totalEnergyBurned), totalDistance: .init($0.totalDistance))
      })
    let type = HKQuantityType(.heartRate)
    let during = Selection(from: start, to: end + 0.001, sources: [])
    for each in try await store.sources(of: type, during.predicate()) {
      let own = Selection(from: during.from, to: during.to, source: each.bundleIdentifier)
      let figures = try await store.figures(of: type, in: own.window)
      let isOwn = each.bundleIdentifier == source.bundleIdentifier
      guard figures.count > (isOwn ? 0 : count) else { continue }
      (count, min, max, average) = (figures.count, figures.min, figures.max, figures.average)
      (measuredBy, measuredByName) = isOwn ? (nil, nil) : (each.bundleIdentifier, each.name)
      if isOwn { break }
    }
  }

  /// The source of the heart rates.
  var rateSource: String { measuredBy ?? source }

  /// What names and notes of the session are stored under.
  var textSource: String { workout?.uuid ?? source }

  /// Returns zones, unless the heart rate of a workout is known for less than half of it: time in zones and
  /// training load would be much too low.
  func sufficient(_ zones: ZonesView?) -> ZonesView? {
    guard let zones, workout == nil || 2 * zones.known >= end.timeIntervalSince(start) else { return nil }
    return zones
  }
}
