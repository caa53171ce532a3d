public import Foundation
import HealthStorage

// The predicates that can be used in queries, alone or in an `NSCompoundPredicate`.

extension HKQuery {
  public class func predicateForObject(with uuid: UUID) -> NSPredicate {
    FilterPredicate(.uuids([uuid]))
  }

  public class func predicateForObjects(with uuids: Set<UUID>) -> NSPredicate {
    FilterPredicate(.uuids(uuids))
  }

  public class func predicateForObjects(from source: HKSource) -> NSPredicate {
    FilterPredicate(.sources([source.bundleIdentifier]))
  }

  public class func predicateForObjects(from sources: Set<HKSource>) -> NSPredicate {
    FilterPredicate(.sources(Set(sources.map(\.bundleIdentifier))))
  }

  /// All eight fields must be equal, absent ones included.
  public class func predicateForObjects(from devices: Set<HKDevice>) -> NSPredicate {
    FilterPredicate(.devices(Set(devices.map(\.record))))
  }

  /// - Parameters:
  ///   - start: nil leaves the window open at its beginning, as does a date too early for the store.
  ///   - end: nil leaves it open at its end, as does a date too late for the store.
  public class func predicateForSamples(
    withStart start: Date?, end: Date?, options: HKQueryOptions = []
  ) -> NSPredicate {
    var parts: [SampleFilter] = []
    if let from = start.flatMap(Microseconds.of) {
      if options.contains(.strictStartDate) { parts.append(.startsFrom(from)) }
      if options.contains(.strictEndDate) { parts.append(.endsFrom(from)) }
      if options.isEmpty { parts.append(.endsFrom(from)) }
    }
    if let to = end.flatMap(Microseconds.of) {
      if options.contains(.strictEndDate) { parts.append(.endsBefore(to)) }
      if options != .strictEndDate { parts.append(.startsBefore(to)) }
    }
    return FilterPredicate(.all(parts))
  }
}
