import Foundation
import HealthKit
import HealthStorage

/// Converts elements of an export to samples, and counts the elements that it cannot convert.
struct RecordReader {
  /// A sample with its source.
  struct Recorded {
    let sample: HKSample
    let revision: HKSourceRevision
  }

  private(set) var tally = RecordTally()
  var identity = RecordIdentity()
  private var provenance = RecordProvenance()

  /// Returns the samples of an element. Empty if the element is not a sample or is invalid.
  mutating func samples(of event: ElementReader.Event) -> [Recorded] {
    switch event {
    case .damaged(let element):
      // Count a damaged element that is not a sample as unsupported, not as a damaged sample.
      if let element, !Self.makers.contains(element.name) {
        tally.countUnread(element.name)
      } else {
        reject(.damaged)
      }
      return []
    case .element(let element):
      do throws(RecordError) {
        return try samples(of: element)
      } catch {
        reject(error)
        return []
      }
    }
  }

  private static let makers: Set = ["Record", "Correlation", "Workout"]

  private mutating func reject(_ flaw: RecordError) {
    tally.records += 1
    tally.count(flaw)
  }

  private mutating func samples(of element: ExportElement) throws(RecordError) -> [Recorded] {
    let made: [Recorded]
    switch element.name {
    case "Record": made = try record(element)
    case "Correlation": made = try correlation(element)
    case "Workout": made = try workout(element)
    case "ExportDate": return []
    case "Me":
      tally.characteristics = element.attributes.map { ($0.name, $0.value) }
      return []
    default:
      tally.countUnread(element["type"] ?? element.name)
      return []
    }
    for recorded in made {
      tally.records += 1
      tally.countRead(recorded.sample.sampleType.identifier)
    }
    return made
  }

  // MARK: - Frames

  /// The properties that all kinds of samples have: times, source and device.
  struct Frame {
    var start: Int64
    var end: Int64
    var exactness: Exactness
    var source: String
    var revision: HKSourceRevision
    var device: HKDevice?
    var metadata: ObjectMetadata?

    var startDate: Date { Microseconds.date(start) }
    var endDate: Date { Microseconds.date(end) }

    /// Extends a sample to the minimum duration of its type if it is less than a second too short, because
    /// the export truncates times to whole seconds.
    mutating func lengthen(for type: HKSampleType) {
      guard type.isMinimumDurationRestricted, start <= end else { return }
      let shortest = Int64((type.minimumAllowedDuration * 1e6).rounded(.up))
      if shortest < 1_000_000, end < start + shortest { end = start + shortest }
    }
  }

  mutating func frame(_ element: ExportElement) throws(RecordError) -> Frame {
    let (metadata, exactness) = metadata(element)
    guard let start = element["startDate"].flatMap(ExportTime.parse),
      let end = element.end.flatMap(ExportTime.parse)
    else { throw .time }
    let source = exactness.sourceName ?? element["sourceName"] ?? ""
    return Frame(
      start: start + exactness.start, end: end + exactness.end, exactness: exactness, source: source,
      revision: provenance.revision(source: source, version: element["sourceVersion"], exactness),
      device: exactness.device ?? element["device"].flatMap { provenance.device($0) }, metadata: metadata)
  }

  mutating func uuid(_ frame: Frame, _ type: HKSampleType, _ content: [UInt8]) -> UUID {
    frame.exactness.uuid
      ?? identity.uuid(
        type: type.identifier, source: frame.source, start: frame.start, end: frame.end, content: content)
  }

  /// Returns the metadata, without invalid values, which are counted.
  mutating func metadata(_ element: ExportElement) -> (ObjectMetadata?, Exactness) {
    var values: [String: MetadataValue] = [:]
    var exactness = Exactness()
    var unreadable: [String] = []
    for entry in element.children where entry.name == "MetadataEntry" {
      guard let key = entry["key"], let text = entry["value"] else {
        tally.count(.metadata)
        continue
      }
      if key == Exactness.key {
        if let stated = Exactness(text) { exactness = stated } else { tally.count(.metadata) }
      } else if let value = MetadataText.value(text, forKey: key) {
        values[key] = value
      } else {
        unreadable.append(key)
      }
    }
    for key in unreadable where exactness.metadata[key] == nil { tally.count(.metadata) }
    values.merge(exactness.metadata) { $1 }
    return (checked(values), exactness)
  }

  private mutating func checked(_ values: [String: MetadataValue]) -> ObjectMetadata? {
    guard !values.isEmpty else { return nil }
    if let metadata = try? ObjectMetadata(values: values) { return metadata }
    // Some value is invalid in its context: the unit of a quantity does not fit its key, or one of the two
    // sync keys is missing.
    tally.count(.metadata)
    var sound = values.filter { (try? ObjectMetadata(values: [$0.key: $0.value])) != nil }
    let sync = [HKMetadataKeySyncIdentifier, HKMetadataKeySyncVersion]
    for key in sync { sound[key] = nil }
    let pair = values.filter { sync.contains($0.key) }
    if (try? ObjectMetadata(values: pair)) != nil { sound.merge(pair) { $1 } }
    return sound.isEmpty ? nil : try? ObjectMetadata(values: sound)
  }

  mutating func count(_ flaw: RecordError) { tally.count(flaw) }

  mutating func set(_ flaw: RecordError, to count: Int) { tally.set(flaw, to: count) }

  mutating func countUnread(_ name: String) { tally.countUnread(name) }
}
