import HealthStorage
import Synchronization

/// The heart rates of the days that were looked at last, so that a look reads those that changed since the
/// one before, and not the day's. A day that is not here is read whole; so nothing need be here at any time.
struct RecentDays: Sendable {
  /// A day, the one before it about midnight, and one to which late data come.
  static let capacity = 3
  /// Minutes of all sources of a day, 24 octets each. A day of which more are known, as of a place with two
  /// hundred straps, is read whole each time.
  static let greatestDay = 250_000

  /// Up to where in the change log these days have all that changed; nil where nothing is here.
  private(set) var place: ChangeLogPlace?
  /// The one that was looked at last is at the end.
  private var days: [DayRates] = []
  private(set) var work = Work()

  /// What was read so far: what a look costs grows with it.
  struct Work: Hashable {
    var heartRates = 0
    /// How often a day was looked at.
    var days = 0
  }

  /// - Parameter day: It is no longer here, until it is kept again.
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

  /// All that changed up to a place is here, as far as it is of a day that is.
  mutating func come(to place: ChangeLogPlace) { self.place = place }

  /// Forgets the days, unless every change after them is still to be told.
  ///
  /// - Parameters:
  ///   - start: From where on changes will be told; another program that derives may have moved it.
  ///   - log: Says whether the change log is still the one that the place is in.
  mutating func forget(
    unlessToldFrom start: ChangeLogPlace?, in log: (ChangeLogPlace) async throws -> Bool
  ) async rethrows {
    if let place, start?.position ?? 0 <= place.position, try await log(place) { return }
    (days, place) = ([], nil)
  }

  mutating func forget() { (days, place) = ([], nil) }
}

/// Lends recent days to one look at a time. Another one that comes meanwhile begins with none, and whoever
/// ends last leaves its own.
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
