import Foundation
import HealthStorage

extension SampleFilter {
  /// Returns whether a sample matches. The filter is evaluated in memory, with the same result as the store's
  /// SQL.
  ///
  /// Only the store knows which samples belong to a workout or correlation, so conditions on that never match
  /// here.
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
    case .quantity(let comparison, let value, let unit):
      (sample as? HKQuantitySample).map {
        QuantityComparison(comparison, value: value, unit: unit).holds($0.quantity)
      } ?? false
    case .sources(let identifiers): identifiers.hasExactly(sample.sourceRevision.source.bundleIdentifier)
    case .revisions(let patterns): patterns.contains { $0.matches(sample.sourceRevision.record) }
    case .devices(let devices): sample.device.map { devices.contains($0.record) } ?? false
    case .deviceField(let field, let texts): sample.device?.record.has(texts, in: field) ?? false
    case .metadata(let condition):
      sample.objectMetadata.map { condition.holds(forMetadata: $0.encoded.values) } ?? false
    case .archived(let types, let condition), .container(let types, let condition):
      types.contains(sample.sampleType.identifier) && condition.holds(for: sample)
    case .members, .related, .held, .storedAfter: false
    case .holding(let member): (sample as? HKCorrelation)?.objects.contains(where: member.matches) ?? false
    case .all(let parts): parts.allSatisfy { $0.matches(sample) }
    case .any(let parts): parts.contains { $0.matches(sample) }
    case .not(let part): !part.matches(sample)
    }
  }
}

extension RevisionPattern {
  fileprivate func matches(_ revision: SourceRevisionRecord) -> Bool {
    revision.source.bundleIdentifier.isExactly(source) && version.matches(revision.version)
      && productType.matches(revision.productType) && operatingSystem.matches(revision.operatingSystem)
  }
}

extension RevisionPattern.Match {
  fileprivate func matches(_ value: Value) -> Bool {
    switch self {
    case .anything: true
    case .exactly(let own): own == value
    }
  }
}

extension DeviceRecord {
  /// Returns whether a field has one of the texts. An empty set of texts matches a field without text.
  fileprivate func has(_ texts: Set<String>, in field: Field) -> Bool {
    guard let text = self[field] else { return texts.isEmpty }
    return texts.hasExactly(text)
  }
}

// Compare bytes: Swift treats the composed and decomposed form of é as equal, but SQL does not.

extension String {
  fileprivate func isExactly(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension Set<String> {
  fileprivate func hasExactly(_ text: String) -> Bool {
    firstIndex(of: text).map { self[$0].isExactly(text) } ?? false
  }
}
