import HealthStorage
import Synchronization

/// A cache of the heart rates of recent days, so that a pass reads only the changed minutes of these days. A
/// day that is not cached is read completely, so the cache can be cleared at any time.
struct RecentDays: Sendable {
  /// Maximum number of cached days: today, yesterday (needed around midnight), and one day for which data
  /// arrives late.
  static let capacity = 3
  /// Maximum number of minutes with data in a cached day, summed over all sources. A minute takes 24 bytes.
  /// Larger days, such as those of two hundred straps, are not cached.
  static let greatestDay = 250_000

  /// The change log position up to which the cached days contain all changes, or nil if the cache is empty.
  private(set) var cursor: ChangeLogCursor?
  /// The cached days; the most recently used one is last.
  private var days: [DayRates] = []
  private(set) var work = Work()

  /// Counts of the data that was read, as a measure of what a pass costs.
  struct Work: Hashable {
    var heartRates = 0
    /// The number of times the heart rates of a day were needed.
    var days = 0
  }

  /// Removes a day from the cache and returns it. Call `keep` to put the day back.
  mutating func take(_ day: CalendarDay) -> DayRates? {
    work.days += 1
    return days.firstIndex { $0.day == day }.map { days.remove(at: $0) }
  }

  mutating func keep(_ rates: DayRates) {
    guard rates.knownCount <= Self.greatestDay else { return }
    days.append(rates)
    if days.count > Self.capacity { days.removeFirst() }
  }

  mutating func count(heartRates: Int) { work.heartRates += heartRates }

  /// Records that the cached days contain all changes up to a change log position.
  mutating func come(to cursor: ChangeLogCursor) { self.cursor = cursor }

  /// Clears the cache if the next pass would skip changes that the cached days lack.
  /// - Parameters:
  ///   - start: The change log position after which changes are read. Another program may have moved it.
  ///   - log: Returns whether the change log still contains a position. It no longer does after the store was
  ///     replaced.
  mutating func forget(
    unlessReadFrom start: ChangeLogCursor?, in log: (ChangeLogCursor) async throws -> Bool
  ) async rethrows {
    if let cursor, start?.position ?? 0 <= cursor.position, try await log(cursor) { return }
    (days, cursor) = ([], nil)
  }

  mutating func forget() { (days, cursor) = ([], nil) }
}

/// Lends the cache to one pass at a time. A concurrent pass gets an empty cache. The cache of the pass that
/// ends last is kept.
final class RecentDaysLender: Sendable {
  private let days = Mutex(RecentDays())

  func take() -> RecentDays {
    days.withLock { days in
      defer { days = RecentDays() }
      return days
    }
  }

  func give(_ recent: RecentDays) { days.withLock { $0 = recent } }

  /// The counts of data read, for tests.
  var work: RecentDays.Work { days.withLock(\.work) }
}
