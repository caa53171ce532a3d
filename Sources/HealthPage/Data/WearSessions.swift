import Foundation
import HealthKit
import HealthSystem

/// Detects sessions: times in which a source must have been worn, because it measured every few seconds
/// without a long gap.
///
/// A watch that measures every few minutes all day has no session. If it measures every few seconds for a
/// while, that time is a session.
struct WearSessions: Sendable {
  /// Maximum of the median distance between successive values of a session, in seconds.
  static let densest = 10.0
  /// Seconds without a value after which a session is over.
  static let longestHole = 30 * densest
  /// A value belongs to a session only if there is another value within this time, in seconds.
  static let nearest = 60.0
  /// Minimum duration of a session in seconds. Shorter ones occur when someone tries on the strap.
  static let shortest = 180.0

  /// The session of a source that is being collected.
  private struct Open {
    var span: DateInterval
    /// The number of distances between successive values, and how many of them are at most
    /// ``WearSessions/densest`` seconds.
    var distances = 0
    var dense = 0
    /// The last value, if it came more than ``WearSessions/nearest`` seconds after the one before. It belongs
    /// to a session only if another value follows within that time.
    var lone: Date?

    init(_ date: Date) { (span, lone) = (DateInterval(start: date, duration: 0), date) }

    mutating func take(_ date: Date) {
      distances += 1
      if date.timeIntervalSince(span.end) <= WearSessions.densest { dense += 1 }
      span = DateInterval(start: span.start, end: max(date, span.end))
    }
  }

  private var open: [HKSource: Open] = [:]
  private(set) var found: [(source: HKSource, span: DateInterval)] = []

  /// Returns the sessions of the matching heart rates, the latest first.
  static func all(
    in store: HKHealthStore, matching predicate: NSPredicate?
  ) async throws -> [(source: HKSource, span: DateInterval)] {
    var sessions = try await of(store, matching: predicate)
    return sessions.end()
  }

  /// Reads heart rates and detects sessions. The last session of each source stays open, because more heart
  /// rates may follow.
  static func of(_ store: HKHealthStore, matching predicate: NSPredicate?) async throws
    -> WearSessions
  {
    try await store.reduceQuantities(
      into: WearSessions(),
      HKSamplePredicate<HKQuantitySample>.quantitySample(
        type: HKQuantityType(.heartRate), predicate: predicate),
      in: HKUnit.count().unitDivided(by: .minute())
    ) { sessions, rate in sessions.add(rate.start, rate.source) }
  }

  /// Returns the session of a source that is still ongoing, even if it is shorter than ``shortest``.
  func ongoing(of source: String, at now: Date) -> DateInterval? {
    guard let each = open.first(where: { $0.key.bundleIdentifier == source })?.value,
      each.distances > 0,
      2 * each.dense >= each.distances, now.timeIntervalSince(each.span.end) <= Self.longestHole
    else { return nil }
    return each.span
  }

  /// Adds a value. Values must be in order of time.
  /// - Parameter time: Seconds since 1970.
  mutating func add(_ time: TimeInterval, _ source: HKSource) {
    let date = Date(timeIntervalSince1970: time)
    guard var current = open[source] else {
      open[source] = Open(date)
      return
    }
    if let lone = current.lone {
      guard date.timeIntervalSince(lone) <= Self.nearest else {
        current.lone = date
        open[source] = current
        return
      }
      // Two values close together continue the session, or begin a new one after a long gap.
      if current.distances == 0 || lone.timeIntervalSince(current.span.end) > Self.longestHole {
        close(source)
        current = Open(lone)
      } else {
        current.take(lone)
      }
      current.lone = nil
      current.take(date)
    } else if date.timeIntervalSince(current.span.end) <= Self.nearest {
      current.take(date)
    } else {
      current.lone = date
    }
    open[source] = current
  }

  /// Ends the current sessions and returns all sessions, latest first.
  mutating func end() -> [(source: HKSource, span: DateInterval)] {
    for source in open.keys { close(source) }
    return found.sorted {
      ($1.span.start, $0.source.bundleIdentifier) < ($0.span.start, $1.source.bundleIdentifier)
    }
  }

  private mutating func close(_ source: HKSource) {
    guard let each = open.removeValue(forKey: source), each.span.duration >= Self.shortest,
      2 * each.dense >= each.distances
    else { return }
    found.append((source, each.span))
  }
}

struct WornResponse: Codable, Sendable {
  struct Session: Codable, Sendable {
    var source: String
    var name: String
    /// The times of the first and the last heart rate.
    var start: Date
    var end: Date
    // The statistics of the session's heart rates, as `hrgate stats` prints them.
    var count: Int
    var min: Double?
    var max: Double?
    var average: Double?
    /// The name that the user gave the session.
    var title: String?
    /// The training load (Edwards). Present only if the request contains a maximum heart rate.
    var load: Double?
    /// The activity of a workout that mostly overlaps with the session, such as `running`.
    var activity: String?
    /// The workout, if the session is one that was not detected in heart rates. Its statistics are absent if
    /// no heart rates were measured.
    var workout: Workout?
    /// The source of the heart rates and its name, if it is not ``source``.
    var measuredBy: String?
    var measuredByName: String?
  }

  /// The unit of the statistics.
  var unit: String
  /// The sessions, latest first.
  var sessions: [Session]
  /// The number of sessions to skip for the next page; absent on the last page.
  var next: Int?

  private static let most = 500

  /// Returns a page of sessions.
  /// - Parameter skipped: Number of the latest sessions to skip.
  static func of(
    _ system: SystemStore, _ selection: Selection, skipping skipped: Int = 0
  ) async throws -> WornResponse {
    let (store, type) = (system.healthStore, HKQuantityType(.heartRate))
    let titles = try await SessionTexts(.title, of: system)
    let all = try await FoundSession.all(in: store, selection)
    let units = try await store.shownUnits(of: HKWorkoutType.workoutType())
    var response = WornResponse(unit: try await store.shownUnit(of: type).unitString, sessions: [])
    if all.count > skipped + most { response.next = skipped + most }
    for found in all.dropFirst(skipped).prefix(most) {
      if case .workout(let workout) = found {
        response.sessions.append(try await Session(workout, in: units, titles, store))
        continue
      }
      let (source, span) = (found.source, found.span)
      // Extend the range slightly to include the last heart rate, which starts exactly at the end.
      let within = Selection(
        from: span.start, to: span.end + 0.001, source: source.bundleIdentifier)
      let figures = try await store.figures(of: type, in: within.window)
      response.sessions.append(
        Session(
          source: source.bundleIdentifier, name: source.name, start: span.start,
          end: span.end, count: figures.count, min: figures.min, max: figures.max,
          average: figures.average, title: titles.text(of: span, from: source.bundleIdentifier)))
    }
    return response
  }
}
