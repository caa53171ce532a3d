public import Foundation
import HealthStorage

extension HKQuery {
  /// Returns a predicate for samples in a time window. Dates are rounded to microseconds.
  /// - Parameters:
  ///   - start: The start of the window, or nil for no start.
  ///   - end: The end of the window, or nil for no end. A sample that starts at the end is outside.
  ///   - options: How the sample must lie in the window.
  public class func predicateForSamples(
    withStart start: Date?, end: Date?, options: HKQueryOptions = []
  ) -> NSPredicate {
    // A start in the window implies an end after the window's start, and an end in the window implies a start
    // before the window's end. So one condition per bound is enough.
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

/// Options that restrict how a sample lies in a time window [A, B).
///
/// Without an option the sample must overlap the window: start < B and end ≥ A.
public struct HKQueryOptions: OptionSet, Sendable {
  public let rawValue: UInt

  public init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  /// The start must be in the window: A ≤ start < B.
  public static let strictStartDate = HKQueryOptions(rawValue: 1)
  /// The end must be in the window: A ≤ end < B.
  public static let strictEndDate = HKQueryOptions(rawValue: 2)
}
