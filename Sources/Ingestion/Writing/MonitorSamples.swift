import Bluetooth
package import Foundation
import HealthKit
import HealthStorage

/// The uncommitted samples of one monitor, which share source, device and metadata. Quantities are stored in
/// columns; each heartbeat series is a sample object.
struct MonitorSamples {
  private static let heartRate = HKQuantityType(.heartRate)
  private static let beatsPerMinute = HKUnit.count().unitDivided(by: .minute())

  let source: HKSource
  let revision: Int
  private let address: String
  private let device: HKDevice
  private let metadata: [String: Any]
  private var identity: SampleIdentity
  /// The last time for which the store may contain heart rates whose UUIDs an earlier version computed
  /// differently; `nil` if there are none.
  private let earlierUntil: ReceiptTime?
  private var heartRates: MeasuredQuantities
  private var quantities: [SampleIdentity.Kind: MeasuredQuantities]
  private var markedHeartRates: [FrameMarks: MeasuredQuantities] = [:]
  private var series: [HKSample] = []
  private let isLive: Bool

  /// - Parameters:
  ///   - predecessor: The samples from before the monitor's description changed, whose numbering of equal
  ///     values is continued.
  ///   - earlierUntil: The last time for which the store may contain heart rates with UUIDs of earlier
  ///     versions; `nil` if it cannot.
  ///   - isLive: Whether heartbeat series are stored while they are being measured, which requires a
  ///     different kind of UUID.
  init(
    _ description: MonitorDescription, after predecessor: MonitorSamples? = nil,
    earlierUntil: ReceiptTime? = nil, isLive: Bool = false
  ) throws {
    self.isLive = isLive
    self.earlierUntil = earlierUntil
    source = description.source
    revision = description.revision
    address = description.address
    device = description.device
    metadata = description.metadata
    identity = predecessor?.identity ?? SampleIdentity(monitor: address)
    let shared = try ObjectMetadata(metadata)
    func quantities(_ type: HKQuantityType, in unit: HKUnit) -> MeasuredQuantities {
      MeasuredQuantities(
        MeasuredKind(
          type, in: unit, from: description.source, by: description.device, metadata: shared,
          monitor: description.address))
    }
    heartRates = quantities(Self.heartRate, in: Self.beatsPerMinute)
    self.quantities = SampleIdentity.Kind.quantities.mapValues { quantities($0.type, in: $0.unit) }
  }

  /// - Throws: An error if a sample draft cannot be converted to a sample. In that case, none of the drafts
  ///   is appended.
  mutating func append(_ drafts: [SampleDraft]) throws {
    let count = series.count
    do {
      for case .beats(let segment, let marks) in drafts { series.append(try sample(segment, marks)) }
      for case .heartRate(_, _, _, let marks) in drafts where !marks.isEmpty { try prepare(for: marks) }
    } catch {
      series.removeLast(series.count - count)
      throw error
    }
    for draft in drafts { append(draft) }
  }

  /// Returns and removes the pending samples.
  mutating func take() -> (measured: [MeasuredQuantities], series: [HKSample]) {
    defer {
      heartRates.removeAll()
      for kind in quantities.keys { quantities[kind]?.removeAll() }
      markedHeartRates.removeAll()
      series.removeAll()
    }
    // Sort, so that the order does not depend on the dictionaries.
    let others = quantities.sorted { $0.key.rawValue < $1.key.rawValue }.map(\.value)
    let marked = markedHeartRates.sorted { $0.key.rawValue < $1.key.rawValue }.map(\.value)
    return (([heartRates] + others + marked).filter { !$0.isEmpty }, series)
  }

  private mutating func append(_ draft: SampleDraft) {
    switch draft {
    case .heartRate(let value, let time, let frame, let marks):
      let occurrence = identity.occurrence(ofHeartRate: value, at: time)
      let earlier = earlierIdentity(of: frame, at: time)
      let microseconds = time.microsecondsSince1970
      guard marks.isEmpty else {
        markedHeartRates[marks]?.append(
          heartRate: Double(value), at: microseconds, occurrence: occurrence, earlier: earlier)
        return
      }
      heartRates.append(heartRate: Double(value), at: microseconds, occurrence: occurrence, earlier: earlier)
    case .quantity(let draft, let frame):
      let uuid = frame.withBytes { identity.uuid(draft.kind, at: draft.end, $0) }
      quantities[draft.kind]?.append(
        draft.value, from: draft.start.microsecondsSince1970, to: draft.end.microsecondsSince1970, uuid: uuid)
    case .beats: break
    }
  }

  /// Returns the UUID that an earlier version gave to a heart rate; `nil` if the time is too recent for such
  /// a version. Must be called for each sample draft, in order.
  private mutating func earlierIdentity(of frame: AttributeValue, at time: ReceiptTime) -> UUID? {
    guard let earlierUntil, time <= earlierUntil else { return nil }
    return frame.withBytes { identity.uuid(.heartRateFrame, at: time, $0) }
  }

  private mutating func prepare(for marks: FrameMarks) throws {
    guard markedHeartRates[marks] == nil else { return }
    let metadata = try ObjectMetadata(metadata.merging(Self.metadata(of: marks)) { $1 })
    markedHeartRates[marks] = MeasuredQuantities(
      MeasuredKind(
        Self.heartRate, in: Self.beatsPerMinute, from: source, by: device, metadata: metadata,
        monitor: address))
  }

  private static func metadata(of marks: FrameMarks) -> [String: Any] {
    Dictionary(uniqueKeysWithValues: marks.names.map { ("org.hrgate.\($0)", NSNumber(value: true)) })
  }

  /// Converts beats to a heartbeat series.
  ///
  /// A log that is still being written contains only the beginning of the series, with another UUID. When the
  /// log is read again later, the longer series replaces the shorter one, because both have the same sync
  /// identifier. A marked series does not have a sync identifier: it is a single measurement frame, which
  /// does not grow, and another series may begin with the same receipt time.
  private mutating func sample(_ segment: BeatSegment, _ marks: FrameMarks) throws -> HKHeartbeatSeriesSample
  {
    var metadata = metadata.merging(Self.metadata(of: marks)) { $1 }
    if marks.isEmpty {
      let sync = sync(segment)
      metadata[HKMetadataKeySyncIdentifier] = sync.identifier
      metadata[HKMetadataKeySyncVersion] = NSNumber(value: sync.version)
    }
    let offsets = segment.offsets
    let uuid =
      isLive && marks.isEmpty
      ? SampleIdentity.uuid(of: segment, from: address)
      : segment.intervals.withUnsafeBytes { identity.uuid(.beats, at: segment.firstReceipt, $0.bytes) }
    return try HKHeartbeatSeriesSample(
      uuid: uuid, start: segment.start.date,
      beats: offsets.enumerated().map { index, offset in
        HKHeartbeatSeriesQueryDescriptor.Heartbeat(
          timeIntervalSinceStart: offset, precededByGap: index == 0 || segment.exceedsTime)
      }, device: device, metadata: try ObjectMetadata(metadata))
  }

  private func sync(_ segment: BeatSegment) -> EncodedMetadata.Sync {
    let identifier = "org.hrgate.beats/\(address)/\(segment.firstReceipt.microsecondsSince1970)"
    return EncodedMetadata.Sync(
      identifier: segment.ordinal > 0 ? "\(identifier)/\(segment.ordinal)" : identifier,
      version: segment.knownUntil.microseconds(since: segment.firstReceipt))
  }

  /// Returns an unfinished heartbeat series in the form in which a live run stores it at each commit.
  func open(_ segment: BeatSegment) -> OpenSeriesRecord {
    let start = segment.start.microsecondsSince1970
    let length = Int64(((segment.offsets.last ?? 0) * 1e6).rounded())
    return OpenSeriesRecord(
      uuid: SampleIdentity.uuid(of: segment, from: address), type: SampleTypes.beats, start: start,
      end: start + length, provenance: heartRates.kind.provenance, metadata: heartRates.kind.metadata,
      sync: sync(segment), count: segment.intervals.count + 1,
      beats: segment.exceedsTime || segment.unit != .standard
        ? HeartbeatCodec.encode(
          segment.offsets.enumerated().map {
            Heartbeat(offset: $1, precededByGap: $0 == 0 || segment.exceedsTime)
          })
        : HeartbeatCodec.encode(intervals: segment.intervals))
  }
}

extension ReceiptTime {
  /// The nearest time that `Date` can represent. Up to the year 2255, it converts back to the same
  /// microsecond.
  package var date: Date { Date(timeIntervalSince1970: Double(microsecondsSince1970) / 1e6) }
}
