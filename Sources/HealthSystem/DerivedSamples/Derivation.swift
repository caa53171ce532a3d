package import Foundation
package import HealthKit
import HealthStorage
import HeartRateVariability

/// Derives samples from stored ones and saves them: an SDNN for every five minutes of clean beats, and a
/// resting heart rate for every day.
///
/// The result depends only on the stored samples, not on when or where it is derived or in what order the
/// beats arrived.
package struct Derivation: Sendable {
  /// Number of change log entries per read: what one strap produces in a few hours.
  private static let entriesAtOnce: Int64 = 50_000
  /// Maximum distance between the saved change log position and the end of the log. The position is usually
  /// saved only if samples were derived. Beyond this distance, it is always saved.
  private static let greatestLag: Int64 = 10_000
  /// Number of minutes of heart rates to read at once. This bounds memory use, however many straps there are.
  private static let minutesAtOnce = 60

  let store: HKHealthStore
  let database: SampleDatabase
  private let zone: @Sendable () -> TimeZone
  private let keeping: FigureKeeping
  let recent = RecentDaysLender()

  /// Creates a derivation.
  /// - Parameters:
  ///   - store: A handle with the owner's access to the store.
  ///   - zone: Returns the time zone that determines when a day starts. Called for each pass, because the
  ///     user may travel.
  /// - Throws: `HKError`: errorAuthorizationDenied for any other handle; errorDatabaseInaccessible.
  package init(
    _ store: HKHealthStore, zone: @escaping @Sendable () -> TimeZone = { .autoupdatingCurrent }
  ) throws {
    self.store = store
    database = try store.systemDatabase()
    self.zone = zone
    keeping = FigureKeeping(store)
  }

  /// Derives samples for all changes since the last call, and then saves the change log position. The order
  /// ensures that no change is skipped after a crash.
  /// - Parameter goesOn: Called before each step. If it returns false, the remaining changes are left for the
  ///   next call.
  /// - Throws: `HKError`; `CancellationError` if the task is canceled.
  package func catchUp(while goesOn: () -> Bool = { true }) async throws -> DerivationTally {
    try await HKError.translating {
      var tally = DerivationTally()
      var recent = self.recent.take()
      defer { self.recent.give(recent) }
      let kept = try await database.derivedCursor(of: DerivedSource.bundleIdentifier)
      try await recent.forget(unlessReadFrom: kept) { try await database.holds($0) }
      var cursor = kept
      while true {
        let (changes, end) = try await database.foldChangedSpans(
          into: ChangedTimes(in: zone()), of: ChangedTimes.types, after: cursor, entries: Self.entriesAtOnce
        ) { $0.add($1) }
        let (done, isComplete) = try await derive(changes, &recent, while: goesOn)
        tally += done
        guard isComplete else { return tally }
        recent.come(to: end.cursor)
        // If only derived samples changed, do not save the position: that commit would trigger another pass.
        let lag = end.cursor.position - (kept?.position ?? 0)
        if end.cursor != cursor, !changes.isEmpty || lag > Self.greatestLag {
          try await database.setDerivedCursor(end.cursor, of: DerivedSource.bundleIdentifier)
        }
        cursor = end.cursor
        if end.isLast { return tally }
      }
    }
  }

  /// Derives all samples of a period again, even if nothing changed. Skips days without samples.
  /// - Parameters:
  ///   - start: A time in the first window or day to derive.
  ///   - end: The end of the period, or nil for all samples.
  /// - Throws: `HKError`; `CancellationError` if the task is canceled.
  package func derive(from start: Date, to end: Date?) async throws -> DerivationTally {
    try await HKError.translating {
      var tally = DerivationTally()
      var recent = self.recent.take()
      defer { self.recent.give(recent) }
      recent.forget()
      let end = end?.timeIntervalSince1970 ?? .infinity
      guard start.timeIntervalSince1970 <= end else { return tally }
      let types = DerivedFigure.Kind.sources + DerivedFigure.Kind.allCases.map(\.type)
      var next = start.timeIntervalSince1970
      while let stored = try await store.firstTime(of: types, from: next),
        let day = CalendarDay(containing: stored, in: zone()), day.start <= end, day.end > next
      {
        var times = ChangedTimes(in: zone())
        times.addDays(from: day.start, to: day.start)
        times.addWindows(from: max(next, day.start), to: min(end, day.end))
        tally += try await derive(times, &recent) { true }.tally
        next = day.end
      }
      return tally
    }
  }

  private func derive(
    _ times: ChangedTimes, _ recent: inout RecentDays, while goesOn: () -> Bool
  ) async throws -> (tally: DerivationTally, isComplete: Bool) {
    var tally = DerivationTally()
    for numbers in times.stretches {
      try Task.checkCancellation()
      guard goesOn() else { return (tally, false) }
      tally += try await deriveVariability(numbers)
      // Give the tasks that save measurements a chance to run.
      await Task.yield()
    }
    for (day, minutes) in times.days.sorted(by: { $0.key.start < $1.key.start }) {
      try Task.checkCancellation()
      guard goesOn() else { return (tally, false) }
      tally += try await deriveRest(day, minutes, &recent)
      await Task.yield()
    }
    return (tally, true)
  }

  private func deriveVariability(_ numbers: ClosedRange<Int>) async throws -> DerivationTally {
    let windows = numbers.map(VariabilityWindow.init)
    guard let first = windows.first, let last = windows.last else { return DerivationTally() }
    let position = try await database.lastChange()
    // Read the position before the beats. It becomes the version of the derived samples, so beats that
    // another program saves in between lead to a higher version.
    let stored = try await store.derivedSamples(.variability, from: first.start, to: last.end)
    let margin = VariabilityWindow.margin
    let parts = try await store.beatParts(from: first.start - margin, to: last.end + margin)
    let figures = parts.isEmpty ? [] : windows.compactMap { $0.figure(of: parts) }
    return try await keeping.keep(figures, inPlaceOf: stored, asOf: position)
  }

  /// Derives the resting heart rate of a day.
  /// - Parameter minutes: The minutes of the day whose heart rates may have changed since the last call.
  private func deriveRest(
    _ day: CalendarDay, _ minutes: RangeSet<Int>, _ recent: inout RecentDays
  ) async throws -> DerivationTally {
    let position = try await database.lastChange()
    // A sample for the same day in another time zone starts up to a day earlier or later. Find it too.
    let stored = try await store.derivedSamples(
      .restingHeartRate, from: day.start - 86_400, to: day.end + 86_400
    ).filter { $0.key == day.syncIdentifier }
    let rates = try await rates(of: day, minutes, &recent)
    let workouts = try await store.workoutTimes(from: day.start, to: day.end)
    let figure = day.figure(of: rates, excluding: workouts)
    recent.keep(rates)
    return try await keeping.keep([figure].compactMap(\.self), inPlaceOf: stored, asOf: position)
  }

  /// Returns the heart rates of a day. If the day is cached, reads only the changed minutes from the store.
  private func rates(
    of day: CalendarDay, _ changed: RangeSet<Int>, _ recent: inout RecentDays
  ) async throws -> DayRates {
    let known = recent.take(day)
    var rates = known ?? DayRates(of: day)
    for range in known == nil ? [day.minutes] : Array(changed.ranges) {
      for first in stride(from: range.lowerBound, to: range.upperBound, by: Self.minutesAtOnce) {
        let part = first..<min(first + Self.minutesAtOnce, range.upperBound)
        let (from, to) = day.times(of: part)
        let series = try await store.heartRates(from: from, to: to)
        recent.count(heartRates: series.values.reduce(0) { $0 + $1.readings.count })
        rates.replace(part, by: series)
      }
    }
    return rates
  }
}
