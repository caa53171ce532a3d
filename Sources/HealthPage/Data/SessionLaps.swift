import Foundation
import HealthKit
import HealthSystem

/// The laps that the user marks during a session.
struct SessionLaps: Sendable {
  /// One lap with the statistics of its heart rates.
  struct Lap: Codable, Sendable {
    var start: Date
    var end: Date
    var count: Int
    var min: Double?
    var max: Double?
    var average: Double?
  }

  /// Maximum number of laps in a session.
  static let most = 500

  private let marks: SessionMarks

  init(of store: SystemStore) async throws {
    marks = try await SessionMarks("session-lap", of: store)
  }

  /// Returns the laps of a session in chronological order. The times that the user has marked are the ends of
  /// laps; the last lap ends with the session.
  /// - Returns: Empty if the user has not marked any lap in the session.
  func laps(of span: DateInterval, from source: String, in store: HKHealthStore) async throws
    -> [Lap]
  {
    let times = moments(in: span, from: source)
    guard !times.isEmpty else { return [] }
    let type = HKQuantityType(.heartRate)
    var laps: [Lap] = []
    for (start, end) in zip([span.start] + times, times + [span.end]) {
      // Extend the last lap slightly to include the last heart rate, which is exactly at the end.
      let to = end == span.end ? end + 0.001 : end
      let figures = try await store.figures(
        of: type, in: Selection(from: start, to: to, source: source).window)
      laps.append(
        Lap(
          start: start, end: end, count: figures.count, min: figures.min, max: figures.max,
          average: figures.average))
    }
    return laps
  }

  /// Ends a lap at a time, or removes such an end, which joins two laps.
  /// - Parameter moment: The time at which the lap ends. It must be in the session.
  /// - Throws: ``PageError`` if the session has too many laps.
  func set(_ moment: Date, isRemoved: Bool, of span: DateInterval, from source: String) async throws {
    let known = marks.within(span, from: source)
    let same = known.filter { abs($0.moment.timeIntervalSince(moment)) < 0.001 }
    guard isRemoved || !same.isEmpty || known.count < Self.most - 1 else {
      throw PageError.argument("A session has at most \(Self.most) laps.")
    }
    try await marks.replace(same, with: isRemoved ? nil : "", at: moment, from: source)
  }

  private func moments(in span: DateInterval, from source: String) -> [Date] {
    marks.within(span, from: source).map(\.moment).filter { span.start < $0 && $0 < span.end }
  }
}
