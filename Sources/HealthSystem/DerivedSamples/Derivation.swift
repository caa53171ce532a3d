package import Foundation
package import HealthKit
import HealthStorage
import HeartRateVariability

/// Derives figures from what is stored, and stores them: an SDNN for each five minutes of clean beats, and a
/// resting heart rate for each day.
///
/// A figure hangs on the stored samples alone, so it is the same whenever it is derived, by whom, and in
/// whatever order the beats came.
package struct Derivation: Sendable {
  /// So many entries of the change log are looked through at once: some hours of a strap, and a short read.
  private static let entriesAtOnce: Int64 = 50_000
  /// So many changes of other types may lie behind the place that is kept.
  private static let greatestLag: Int64 = 10_000
  /// So many minutes of heart rates are read at once, which bounds the memory, of however many straps.
  private static let minutesAtOnce = 60

  let store: HKHealthStore
  let database: SampleDatabase
  private let zone: @Sendable () -> TimeZone
  private let keeping: FigureKeeping
  let recent = RecentDaysLender()

  /// - Parameters:
  ///   - store: The system's handle.
  ///   - zone: Whose days they are; asked each time, because the user may travel.
  /// - Throws: `HKError`, errorAuthorizationDenied for any other handle; errorDatabaseInaccessible.
  package init(
    _ store: HKHealthStore, zone: @escaping @Sendable () -> TimeZone = { .autoupdatingCurrent }
  ) throws {
    self.store = store
    database = try store.systemDatabase()
    self.zone = zone
    keeping = FigureKeeping(store)
  }

  /// Derives what changed since the last time, and then keeps how far that was: never the other way round.
  ///
  /// - Parameter goesOn: Asked after each step. What was not done by then is done the next time.
  /// - Throws: `HKError`; `CancellationError` if the task is cancelled.
  package func catchUp(while goesOn: () -> Bool = { true }) async throws -> DerivationTally {
    try await HKError.translating {
      var tally = DerivationTally()
      var recent = self.recent.take()
      defer { self.recent.give(recent) }
      let kept = try await database.derivedPlace(of: DerivedSource.bundleIdentifier)
      try await recent.forget(unlessToldFrom: kept) { try await database.holds($0) }
      var place = kept
      while true {
        let (changes, end) = try await database.foldChangedSpans(
          into: ChangedTimes(in: zone()), of: ChangedTimes.types, after: place, entries: Self.entriesAtOnce
        ) { $0.add($1) }
        let (done, isComplete) = try await derive(changes, &recent, while: goesOn)
        tally += done
        guard isComplete else { return tally }
        recent.come(to: end.place)
        // The figures' own entries need no place of their own: each commit would call for the next.
        let lag = end.place.position - (kept?.position ?? 0)
        if end.place != place, !changes.isEmpty || lag > Self.greatestLag {
          try await database.setDerivedPlace(end.place, of: DerivedSource.bundleIdentifier)
        }
        place = end.place
        if end.isLast { return tally }
      }
    }
  }

  /// Derives anew whatever is of a time, changed or not. Days of which nothing is stored cost nothing,
  /// however many lie between two of which something is.
  ///
  /// - Parameters:
  ///   - start: The first window or day is the one in which it is.
  ///   - end: nil for all that is there.
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
      // Whoever measures goes first.
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
    // Before the beats: what another program saves meanwhile is not taken for older than what is read now.
    let stored = try await store.derivedSamples(.variability, from: first.start, to: last.end)
    let margin = VariabilityWindow.margin
    let parts = try await store.beatParts(from: first.start - margin, to: last.end + margin)
    let figures = parts.isEmpty ? [] : windows.compactMap { $0.figure(of: parts) }
    return try await keeping.keep(figures, inPlaceOf: stored, asOf: position)
  }

  /// - Parameter minutes: Those whose heart rates may be others than they were at the last look.
  private func deriveRest(
    _ day: CalendarDay, _ minutes: RangeSet<Int>, _ recent: inout RecentDays
  ) async throws -> DerivationTally {
    let position = try await database.lastChange()
    // The same day of another time zone began half a day earlier or later.
    let stored = try await store.derivedSamples(
      .restingHeartRate, from: day.start - 86_400, to: day.end + 86_400
    ).filter { $0.key == day.syncIdentifier }
    let rates = try await rates(of: day, minutes, &recent)
    let workouts = try await store.workoutTimes(from: day.start, to: day.end)
    let figure = day.figure(of: rates, excluding: workouts)
    recent.keep(rates)
    return try await keeping.keep([figure].compactMap(\.self), inPlaceOf: stored, asOf: position)
  }

  /// What was known of a day, with some of its minutes read anew, or else all.
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
