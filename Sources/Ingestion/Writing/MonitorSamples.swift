import Bluetooth
import BluetoothCentral
import Foundation
import HealthKit

/// Makes the samples of one monitor: its source, device and metadata are the same for all of them and made
/// once.
struct MonitorSamples {
  private static let heartRate = HKQuantityType(.heartRate)
  private static let energy = HKQuantityType(.activeEnergyBurned)
  private static let beatsPerMinute = HKUnit.count().unitDivided(by: .minute())
  private static let kilojoules = HKUnit.jouleUnit(with: .kilo)

  let source: HKSource
  let revision: Int
  private let address: String
  private let device: HKDevice
  private let metadata: [String: Any]
  private let sharedMetadata: ObjectMetadata
  private var markedMetadata: [FrameMarks: ObjectMetadata] = [:]
  private var identity: SampleIdentity
  /// Up to when the store may hold heart rates under the identities of earlier versions.
  private let earlierUntil: ReceiptTime?
  /// A heart takes few rates, and a quantity is immutable: one object for each rate.
  private var heartRates: [HKQuantity?] = Array(repeating: nil, count: 256)

  /// - Parameter earlierUntil: `nil` where none can be stored already.
  init(_ description: MonitorDescription, earlierUntil: ReceiptTime? = nil) throws {
    self.earlierUntil = earlierUntil
    source = description.source
    revision = description.revision
    address = description.address
    device = description.device
    metadata = description.metadata
    sharedMetadata = try ObjectMetadata(metadata)
    identity = SampleIdentity(monitor: address)
  }

  mutating func sample(_ draft: SampleDraft) throws -> HKSample {
    switch draft {
    case .heartRate(let value, let time, _, let marks):
      return try HKQuantitySample.make(
        uuid: identity.uuid(ofHeartRate: value, at: time), type: Self.heartRate,
        quantity: heartRate(value), start: time.date,
        end: time.date, device: device, metadata: marks.isEmpty ? sharedMetadata : metadata(with: marks))
    case .energy(let difference, let frame):
      return try HKQuantitySample.make(
        uuid: frame.withBytes { identity.uuid(.energy, at: difference.end, $0) }, type: Self.energy,
        quantity: HKQuantity(unit: Self.kilojoules, doubleValue: Double(difference.kilojoules)),
        start: difference.start.date, end: difference.end.date, device: device, metadata: sharedMetadata)
    case .beats(let segment, let marks):
      return try series(segment, marks)
    }
  }

  /// The identity that an earlier version gave to a heart rate; `nil` for what had no other, or is too late
  /// to be stored under it. To be asked for each draft, in their order.
  mutating func earlierIdentity(of draft: SampleDraft) -> UUID? {
    guard case .heartRate(_, let time, let frame, _) = draft, let earlierUntil, time <= earlierUntil else {
      return nil
    }
    return frame.withBytes { identity.uuid(.heartRateFrame, at: time, $0) }
  }

  private mutating func metadata(with marks: FrameMarks) throws -> ObjectMetadata {
    if let known = markedMetadata[marks] { return known }
    let made = try ObjectMetadata(metadata.merging(Self.metadata(of: marks)) { $1 })
    markedMetadata[marks] = made
    return made
  }

  private static func metadata(of marks: FrameMarks) -> [String: Any] {
    Dictionary(uniqueKeysWithValues: marks.names.map { ("org.hrgate.\($0)", NSNumber(value: true)) })
  }

  private mutating func heartRate(_ value: UInt16) -> HKQuantity {
    let index = Int(value)
    if index < heartRates.count, let known = heartRates[index] { return known }
    let quantity = HKQuantity(unit: Self.beatsPerMinute, doubleValue: Double(value))
    if index < heartRates.count { heartRates[index] = quantity }
    return quantity
  }

  /// A log that was cut short, or is still being written, yields the beginning of a segment under another
  /// UUID, or one that a gap turns out to divide. The sync identifier makes the reading that knows more
  /// replace the one that knew less. One with marks is a frame by itself, of which nobody knows more; it has
  /// none, for another may begin at the same receipt.
  private mutating func series(_ segment: BeatSegment, _ marks: FrameMarks) throws -> HKHeartbeatSeriesSample
  {
    var metadata = metadata.merging(Self.metadata(of: marks)) { $1 }
    if marks.isEmpty {
      metadata[HKMetadataKeySyncIdentifier] =
        "org.hrgate.beats/\(address)/\(segment.firstReceipt.microsecondsSince1970)"
      metadata[HKMetadataKeySyncVersion] = NSNumber(
        value: segment.knownUntil.microseconds(since: segment.firstReceipt))
    }
    let offsets = segment.offsets
    return try HKHeartbeatSeriesSample(
      uuid: segment.intervals.withUnsafeBytes {
        identity.uuid(.beats, at: segment.firstReceipt, $0.bytes)
      }, start: segment.start.date,
      beats: offsets.enumerated().map { index, offset in
        HKHeartbeatSeriesQueryDescriptor.Heartbeat(
          timeIntervalSinceStart: offset, precededByGap: index == 0)
      }, device: device, metadata: try ObjectMetadata(metadata))
  }
}

extension ReceiptTime {
  /// The nearest instant that `Date` can state; it reads back as the same microsecond until the year 2255 and
  /// beyond.
  var date: Date { Date(timeIntervalSince1970: Double(microsecondsSince1970) / 1e6) }
}
