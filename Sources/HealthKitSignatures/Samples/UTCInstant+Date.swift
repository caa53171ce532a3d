import Foundation
import HealthKit

extension UTCInstant {
  /// Rounds as the store does.
  init?(_ date: Date) {
    guard let microseconds = Microseconds.of(date) else { return nil }
    self.init(microseconds: microseconds)
  }

  var date: Date { Microseconds.date(microseconds) }
}
