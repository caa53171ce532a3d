import Foundation
import HealthStorage

/// What the factories of `HKQuery` return: an `NSPredicate` around the store's own value predicate.
///
/// Foundation on Linux has no key-path predicates, so this carries its meaning itself. A compound predicate asks
/// through the second form of `evaluate`; the base class's equality and copies know nothing of subclasses: all of
/// that is overridden.
final class FilterPredicate: NSPredicate {
  let filter: SampleFilter

  init(_ filter: SampleFilter) {
    self.filter = filter
    super.init(value: true)
  }

  override func evaluate(with object: Any?) -> Bool {
    (object as? HKSample).map(filter.matches) ?? false
  }

  override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
    evaluate(with: object)
  }

  override func copy(with zone: NSZone? = nil) -> Any { self }
  override func isEqual(_ object: Any?) -> Bool { (object as? FilterPredicate)?.filter == filter }
  override var hash: Int { filter.hashValue }
}

extension SampleFilter {
  /// The same answer in memory that the store's SQL gives.
  func matches(_ sample: HKSample) -> Bool {
    switch self {
    case .everything: true
    case .nothing: false
    case .type(let identifier): sample.sampleType.identifier == identifier
    case .uuids(let uuids): uuids.contains(sample.uuid)
    case .startsBefore(let time): sample.interval.startMicroseconds < time
    case .startsFrom(let time): sample.interval.startMicroseconds >= time
    case .endsBefore(let time): sample.interval.endMicroseconds < time
    case .endsFrom(let time): sample.interval.endMicroseconds >= time
    case .category(let comparison, let value):
      (sample as? HKCategorySample).map { comparison.holds($0.value, value) } ?? false
    case .sources(let identifiers): identifiers.contains(sample.sourceRevision.source.bundleIdentifier)
    case .devices(let devices): sample.device.map { devices.contains($0.record) } ?? false
    case .holding(let member): (sample as? HKCorrelation)?.objects.contains(where: member.matches) ?? false
    case .all(let parts): parts.allSatisfy { $0.matches(sample) }
    case .any(let parts): parts.contains { $0.matches(sample) }
    case .not(let part): !part.matches(sample)
    }
  }
}
