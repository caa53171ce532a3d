import Foundation
import HealthKit
import HealthSystem

/// Times in which a source measured densely and without a long hole: somebody wore it.
///
/// A watch that looks at a heart every few minutes all day long is no session, however long it does so; what
/// it measures every few seconds in between is one.
struct WearSessions: Sendable {
  /// Half of the distances between a session's values are no longer.
  static let densest = 10.0
  /// What is silent for thirty times that was taken off.
  static let longestHole = 30 * densest
  /// A value that has no other this near belongs to no session.
  static let nearest = 60.0
  /// Shorter ones are somebody who tried it on.
  static let shortest = 180.0

  /// What is known of a source that may be worn.
  private struct Open {
    var span: DateInterval
    /// Between values one after another.
    var distances = 0
    var dense = 0
    /// The last value, where none before is near: whether it counts is seen by the next one.
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

  /// - Parameter time: Seconds since 1970; times come in order.
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
      // Two that are near each other: they go on with what is open, or begin anew.
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

  /// The latest first.
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

struct WornAnswer: Codable, Sendable {
  struct Session: Codable, Sendable {
    var source: String
    var name: String
    /// The first heart rate and the last.
    var start: Date
    var end: Date
    // As `hrgate stats` prints them of that source and that time.
    var count: Int
    var min: Double?
    var max: Double?
    var average: Double?
    /// As somebody has called it.
    var title: String?
  }

  /// The unit of their figures.
  var unit: String
  /// The latest first.
  var sessions: [Session]
  /// How many to skip for those that come next; absent at the end.
  var next: Int?

  private static let most = 500

  /// - Parameter skipped: So many of the latest were told already.
  static func of(
    _ system: SystemStore, _ selection: NSPredicate?, skipping skipped: Int = 0
  ) async throws -> WornAnswer {
    let (store, type) = (system.healthStore, HKQuantityType(.heartRate))
    let titles = try await SessionTitles(of: system)
    var sessions = try await store.reduceQuantities(
      into: WearSessions(),
      HKSamplePredicate<HKQuantitySample>.quantitySample(type: type, predicate: selection),
      in: HKUnit.count().unitDivided(by: .minute())
    ) { sessions, rate in sessions.add(rate.start, rate.source) }
    let all = sessions.end()
    var answer = WornAnswer(unit: try await store.shownUnit(of: type).unitString, sessions: [])
    if all.count > skipped + most { answer.next = skipped + most }
    for (source, span) in all.dropFirst(skipped).prefix(most) {
      // The last one begins at the very end.
      let within = Selection(
        from: span.start, to: span.end + 0.001, source: source.bundleIdentifier)
      let figures = try await store.figures(of: type, in: within.window)
      answer.sessions.append(
        Session(
          source: source.bundleIdentifier, name: source.name, start: span.start,
          end: span.end, count: figures.count, min: figures.min, max: figures.max,
          average: figures.average, title: titles.title(of: span, from: source.bundleIdentifier)))
    }
    return answer
  }
}
