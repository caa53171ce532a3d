import Foundation
import HealthKit
import HealthStorage

extension RecordReader {
  /// Reads a record of a quantity, a category, or beats. A heart-rate variability record results in two
  /// samples: the value and its beats.
  mutating func record(_ element: ExportElement) throws(RecordError) -> [Recorded] {
    let identifier = element["type"] ?? ""
    if identifier == HKSeriesType.heartbeat().identifier {
      do throws(RecordError) {
        return [try beats(element)]
      } catch {
        // A record that contains only beats is invalid if they cannot be read.
        throw error == .beats ? .value : error
      }
    }
    guard let sample = try value(element, identifier) else {
      countUnread(identifier)
      return []
    }
    guard element.children.contains(where: { $0.name == BeatList.name }) else { return [sample] }
    do throws(RecordError) {
      return [sample, try beats(element, of: sample)]
    } catch {
      count(.beats)
      return [sample]
    }
  }

  /// Reads the value of a quantity or category record.
  /// - Returns: `nil` if the type is unknown.
  mutating func value(_ element: ExportElement, _ identifier: String) throws(RecordError) -> Recorded? {
    if let type = HKObjectType.quantityType(forIdentifier: HKQuantityTypeIdentifier(rawValue: identifier)) {
      return try quantity(element, type)
    }
    if let type = HKObjectType.categoryType(forIdentifier: HKCategoryTypeIdentifier(rawValue: identifier)) {
      return try category(element, type)
    }
    return nil
  }

  private mutating func quantity(
    _ element: ExportElement, _ type: HKQuantityType
  ) throws(RecordError) -> Recorded {
    var frame = try frame(element)
    guard let value = element["value"].flatMap(NumberText.parse) else { throw .value }
    guard let unit = element["unit"].flatMap({ try? HKUnit.validated(from: $0) }),
      type.is(compatibleWith: unit)
    else { throw .unit }
    let quantity = HKQuantity(unit: unit, doubleValue: value)
    let uuid = uuid(frame, type, RecordIdentity.content(quantity, of: type))
    frame.lengthen(for: type)
    return try recorded(frame) { () throws(HKValidationError) in
      try HKQuantitySample.make(
        uuid: uuid, type: type, quantity: quantity, start: frame.startDate, end: frame.endDate,
        device: frame.device, metadata: frame.metadata)
    }
  }

  private mutating func category(
    _ element: ExportElement, _ type: HKCategoryType
  ) throws(RecordError) -> Recorded {
    var frame = try frame(element)
    // The value may be missing if the type has only one possible value.
    let text = element["value"] ?? "HKCategoryValueNotApplicable"
    guard let value = EnumerationValues.value(ofConstant: text) ?? Int(text) else { throw .value }
    let uuid = uuid(frame, type, RecordIdentity.content(value))
    frame.lengthen(for: type)
    return try recorded(frame) { () throws(HKValidationError) in
      try HKCategorySample.make(
        uuid: uuid, type: type, value: value, start: frame.startDate, end: frame.endDate,
        device: frame.device,
        metadata: frame.metadata)
    }
  }

  func recorded(
    _ frame: Frame, _ make: () throws(HKValidationError) -> HKSample
  ) throws(RecordError) -> Recorded {
    do throws(HKValidationError) {
      return Recorded(sample: try make(), revision: frame.revision)
    } catch {
      throw .rule
    }
  }

  // MARK: - Beats

  /// Reads a record that contains only beats. Only exports by hrgate have such records.
  private mutating func beats(_ element: ExportElement) throws(RecordError) -> Recorded {
    let frame = try frame(element)
    let uuid = frame.exactness.uuid
    if let beats = frame.exactness.beats {
      return try series(beats, frame.start, frame, frame.metadata, uuid: uuid)
    }
    return try series(try entries(element, hours: 24), frame, frame.metadata, uuid: uuid)
  }

  /// Returns the beats of a heart-rate variability record as a heartbeat series. It has the record's source
  /// and device, and a UUID derived from the record.
  private mutating func beats(
    _ element: ExportElement, of record: Recorded
  ) throws(RecordError) -> Recorded {
    let frame = try frame(element)
    let entries = try entries(element)
    let uuid = identity.uuid(
      type: HKSeriesType.heartbeat().identifier, source: frame.source, start: frame.start, end: frame.end,
      content: RecordIdentity.content(listOf: entries.count))
    return try series(entries, frame, nil, uuid: uuid)
  }

  /// Returns the entries of the beat list in a record.
  /// - Parameter hours: Whether the list's times are on a 12-hour or a 24-hour clock; `nil` to detect it.
  private func entries(
    _ element: ExportElement, hours: Int64? = nil
  ) throws(RecordError) -> [BeatList.Entry] {
    guard let list = element.children(named: BeatList.name).first,
      let start = element["startDate"], let time = ExportTime.parse(start), let zone = ExportTime.zone(start),
      let end = element.end.flatMap(ExportTime.parse),
      let entries = BeatList.entries(
        in: list, of: BeatClock.Record(start: time, end: end, zone: zone), hours: hours)
    else { throw .beats }
    return entries
  }

  private mutating func series(
    _ entries: [BeatList.Entry], _ frame: Frame, _ metadata: ObjectMetadata?, uuid: UUID?
  ) throws(RecordError) -> Recorded {
    guard let beats = BeatList.beats(entries), let start = beats.first?.time else { throw .beats }
    let heartbeats = beats.map {
      Heartbeat(offset: Double($0.time - start) / 1e6, precededByGap: $0.precededByGap)
    }
    return try series(heartbeats, start, frame, metadata, uuid: uuid)
  }

  /// Creates a heartbeat series.
  /// - Parameter uuid: The UUID; `nil` to derive it from the times and the number of beats.
  private mutating func series(
    _ beats: [Heartbeat], _ start: Int64, _ frame: Frame, _ metadata: ObjectMetadata?, uuid: UUID?
  ) throws(RecordError) -> Recorded {
    guard let last = beats.last?.offset, (0..<1e6).contains(last) else { throw .beats }
    let end = start + Int64((last * 1e6).rounded())
    let uuid =
      uuid
      ?? identity.uuid(
        type: HKSeriesType.heartbeat().identifier, source: frame.source, start: start, end: end,
        content: RecordIdentity.content(beats.count))
    return try recorded(frame) { () throws(HKValidationError) in
      try HKHeartbeatSeriesSample(
        uuid: uuid, start: Microseconds.date(start),
        beats: beats.map {
          HKHeartbeatSeriesQueryDescriptor.Heartbeat(
            timeIntervalSinceStart: $0.offset, precededByGap: $0.precededByGap)
        }, device: frame.device, metadata: metadata)
    }
  }

  // MARK: - Correlations

  /// Reads a correlation. Its members also occur as separate records of the export.
  mutating func correlation(_ element: ExportElement) throws(RecordError) -> [Recorded] {
    let identifier = element["type"] ?? ""
    guard
      let type = HKObjectType.correlationType(
        forIdentifier: HKCorrelationTypeIdentifier(rawValue: identifier))
    else {
      countUnread(identifier)
      return []
    }
    let frame = try frame(element)
    var members: Set<HKSample> = []
    for record in element.children(named: "Record") {
      guard let member = try value(record, record["type"] ?? "") else { throw .rule }
      members.insert(member.sample)
    }
    let uuid = uuid(frame, type, RecordIdentity.content(members))
    return [
      try recorded(frame) { () throws(HKValidationError) in
        try HKCorrelation.make(
          uuid: uuid, type: type, objects: members, start: frame.startDate, end: frame.endDate,
          device: frame.device, metadata: frame.metadata)
      }
    ]
  }
}
