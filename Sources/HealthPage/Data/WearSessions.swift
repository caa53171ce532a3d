import Foundation
import HealthKit
import HealthSystem

/// Times in which a source measured without a long hole: somebody wore it.
struct WearSessions: Sendable {
  /// A strap that is silent for longer was taken off.
  static let longestHole = 300.0
  /// Shorter ones are somebody who tried it on.
  static let shortest = 60.0

  private var open: [HKSource: DateInterval] = [:]
  private(set) var found: [(source: HKSource, span: DateInterval)] = []

  /// - Parameter time: Seconds since 1970; times come in order.
  mutating func add(_ time: TimeInterval, _ source: HKSource) {
    let date = Date(timeIntervalSince1970: time)
    if let span = open[source], date.timeIntervalSince(span.end) <= Self.longestHole {
      open[source] = DateInterval(start: span.start, end: max(date, span.end))
    } else {
      close(source)
      open[source] = DateInterval(start: date, duration: 0)
    }
  }

  /// The latest first.
  mutating func end() -> [(source: HKSource, span: DateInterval)] {
    for source in open.keys { close(source) }
    return found.sorted {
      ($1.span.start, $0.source.bundleIdentifier) < ($0.span.start, $1.source.bundleIdentifier)
    }
  }

  private mutating func close(_ source: HKSource) {
    guard let span = open.removeValue(forKey: source), span.duration >= Self.shortest else { return }
    found.append((source, span))
  }
}

struct WornAnswer: Codable, Sendable {
  struct Session: Codable, Sendable {
    var source: String
    var name: String
    /// Milliseconds since 1970: the first heart rate and the last.
    var start: Double
    var end: Double
    // As `hrgate stats` prints them of that source and that time.
    var count: Int
    var min: Double?
    var max: Double?
    var average: Double?
    /// As somebody has called it.
    var title: String?
  }

  /// The latest first.
  var sessions: [Session]
  /// Whether earlier ones were left out.
  var cut: Bool?

  private static let most = 500

  static func of(_ system: SystemStore, _ selection: NSPredicate?) async throws -> WornAnswer {
    let (store, type) = (system.healthStore, HKQuantityType(.heartRate))
    let titles = try await SessionTitles(of: system)
    var sessions = try await store.reduceQuantities(
      into: WearSessions(),
      HKSamplePredicate<HKQuantitySample>.quantitySample(type: type, predicate: selection),
      in: HKUnit.count().unitDivided(by: .minute())
    ) { sessions, rate in sessions.add(rate.start, rate.source) }
    let all = sessions.end()
    var answer = WornAnswer(sessions: [], cut: all.count > most ? true : nil)
    for (source, span) in all.prefix(most) {
      // The last one begins at the very end.
      let within = Selection(
        from: span.start, to: span.end + 0.001, source: source.bundleIdentifier)
      let figures = try await store.figures(of: type, within.predicate())
      answer.sessions.append(
        Session(
          source: source.bundleIdentifier, name: source.name, start: span.start.milliseconds,
          end: span.end.milliseconds, count: figures.count, min: figures.min, max: figures.max,
          average: figures.average, title: titles.title(of: span, from: source.bundleIdentifier)))
    }
    return answer
  }
}
