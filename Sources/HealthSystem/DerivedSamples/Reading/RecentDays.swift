import HealthStorage
import Synchronization

/// A cache of the heart rates of the last days. With it, a pass reads only changed minutes instead of whole
/// days. It can be empty at any time; a missing day is read completely.
struct RecentDays: Sendable {
  /// Maximum number of days: the current day, the previous one around midnight, and one day that receives
  /// late data.
  static let capacity = 3
  /// Maximum number of minutes in a day, over all sources, at 24 bytes each. A day with more, as at a site
  /// with two hundred straps, is read completely each time.
  static let greatestDay = 250_000

  /// The position in the change log up to which the cached days are complete, or nil if the cache is empty.
  private(set) var place: ChangeLogPlace?
  /// The days in order of use; the last one was used most recently.
  private var days: [DayRates] = []
  private(set) var work = Work()

  /// Counters of the data read, which determine the cost of a pass.
  struct Work: Hashable {
    var heartRates = 0
    /// The number of times a day was evaluated.
    var days = 0
  }

  /// Removes a day from the cache and returns it. Call `keep` to put it back.
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

  /// Records that the cached days include all changes up to a position.
  mutating func come(to place: ChangeLogPlace) { self.place = place }

  /// Clears the cache, unless all changes after it are still to be read.
  /// - Parameters:
  ///   - start: The position from which changes are read. Another program may have moved it.
  ///   - log: Returns whether the change log is still the one that contains the position.
  mutating func forget(
    unlessToldFrom start: ChangeLogPlace?, in log: (ChangeLogPlace) async throws -> Bool
  ) async rethrows {
    if let place, start?.position ?? 0 <= place.position, try await log(place) { return }
    (days, place) = ([], nil)
  }

  mutating func forget() { (days, place) = ([], nil) }
}

/// Lends the cache to one pass at a time. A concurrent pass gets an empty cache, and the pass that ends last
/// stores its own.
final class RecentDaysLender: Sendable {
  private let days = Mutex(RecentDays())

  func take() -> RecentDays {
    days.withLock { days in
      defer { days = RecentDays() }
      return days
    }
  }

  func give(_ recent: RecentDays) { days.withLock { $0 = recent } }

  /// For tests.
  var work: RecentDays.Work { days.withLock(\.work) }
}
