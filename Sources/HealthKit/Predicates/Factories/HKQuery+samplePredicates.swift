public import Foundation
import HealthStorage

extension HKQuery {
  /// Samples that lie so to a window; in microseconds, to which the dates are rounded.
  /// - Parameters:
  ///   - start: nil leaves the window open at its beginning.
  ///   - end: nil leaves it open at its end. A sample that begins then is outside.
  public class func predicateForSamples(
    withStart start: Date?, end: Date?, options: HKQueryOptions = []
  ) -> NSPredicate {
    // What starts from a moment on ends from it on, and what ends before one starts before it.
    var parts: [SampleFilter] = []
    if let from = start.map(Microseconds.clamped) {
      parts.append(options.contains(.strictStartDate) ? .startsFrom(from) : .endsFrom(from))
    }
    if let to = end.map(Microseconds.clamped) {
      parts.append(options.contains(.strictEndDate) ? .endsBefore(to) : .startsBefore(to))
    }
    return FilterPredicate(.all(parts))
  }
}
