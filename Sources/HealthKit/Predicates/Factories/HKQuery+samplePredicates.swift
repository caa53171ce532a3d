public import Foundation
import HealthStorage

extension HKQuery {
  /// Returns a predicate for samples in a time window. Dates are rounded to microseconds.
  /// - Parameters:
  ///   - start: The start of the window, or nil for no start.
  ///   - end: The end of the window, or nil for no end. A sample that starts at the end is outside.
  ///   - options: Whether a sample must only overlap the window, or start or end in it.
  public class func predicateForSamples(
    withStart start: Date?, end: Date?, options: HKQueryOptions = []
  ) -> NSPredicate {
    // One condition for each bound is enough. If a sample starts in the window, it also ends after the
    // window's start. If it ends in the window, it also starts before the window's end.
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

/// Options that determine which samples are in a time window [A, B).
///
/// Without an option, these are the samples that overlap the window: start < B and end ≥ A.
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
