import Bluetooth
import Foundation
import HealthKit
import HealthStorage

/// Computes a sample's UUID from the measurement, so that the same frame always results in the same sample,
/// whether live or from a recording. The UUID is the `MeasuredIdentity` of the kind of sample, the monitor,
/// the receipt time and the content.
///
/// The content of a heart-rate sample is its value, so the UUID can be computed from the sample and need not
/// be stored. Only if several equal values have the same time do their numbers have to be stored.
///
/// The store deduplicates by this UUID: when a recording is imported again or a commit is retried, it skips
/// samples whose UUID it already has.
struct SampleIdentity {
  enum Kind: UInt8, CaseIterable {
    /// A heart rate identified by the bytes of its measurement frame, as in earlier versions. A store may
    /// contain many of these, so they are looked up before a heart rate is stored.
    case heartRateFrame = 1
    case energy = 2
    case beats = 3
    /// A heartbeat series of a live run. Its UUID depends only on the monitor and the first receipt time,
    /// because it is needed before the other beats are known.
    case liveBeats = 5

    fileprivate var place: Int { Int(rawValue) - 1 }
    fileprivate static let count = Int(allCases.map(\.rawValue).max() ?? 0)

    /// The kinds of quantities other than the heart rate. Their samples are stored with their UUIDs.
    static let quantities: [Kind: (type: HKQuantityType, unit: HKUnit)] = [
      .energy: (HKQuantityType(.activeEnergyBurned), HKUnit.jouleUnit(with: .kilo))
    ]
  }

  private var identity: MeasuredIdentity
  /// The number of equal contents with the same time, for each kind. The samples of one kind arrive in
  /// chronological order.
  private var occurrences = Array(repeating: Occurrences<UUID>(), count: Kind.count)
  private var heartRates = Occurrences<UInt16>()

  init(monitor address: String) { identity = MeasuredIdentity(monitor: address) }

  /// - Parameter value: The heart rate in beats per minute.
  /// - Returns: The number of earlier equal values with this time.
  mutating func occurrence(ofHeartRate value: UInt16, at time: ReceiptTime) -> UInt32 {
    heartRates.count(value, at: time)
  }

  mutating func uuid(_ kind: Kind, at time: ReceiptTime, _ content: RawSpan) -> UUID {
    content.withUnsafeBytes { uuid(kind, at: time, bytes: $0) }
  }

  /// Returns the UUID of a heartbeat series of a live run. It stays the same while the series grows.
  static func uuid(of segment: BeatSegment, from address: String) -> UUID {
    var identity = SampleIdentity(monitor: address)
    return identity.hashed(
      .liveBeats, segment.firstReceipt, UnsafeRawBufferPointer(start: nil, count: 0),
      occurrence: UInt32(clamping: segment.ordinal))
  }

  private mutating func uuid(
    _ kind: Kind, at time: ReceiptTime, bytes content: UnsafeRawBufferPointer
  ) -> UUID {
    let uuid = hashed(kind, time, content, occurrence: 0)
    let number = occurrences[kind.place].count(uuid, at: time)
    return number > 0 ? hashed(kind, time, content, occurrence: number) : uuid
  }

  private mutating func hashed(
    _ kind: Kind, _ time: ReceiptTime, _ content: UnsafeRawBufferPointer, occurrence: UInt32
  ) -> UUID {
    let words = identity.words(
      kind.rawValue, at: time.microsecondsSince1970, content, occurrence: occurrence)
    return withUnsafeBytes(of: (words.high.bigEndian, words.low.bigEndian)) {
      UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
    }
  }
}

/// Counts how many times the same content occurs with the same time. Only the latest time is remembered.
private struct Occurrences<Content: Hashable> {
  /// Maximum number of different contents with the same time. With more, the source is assumed to have no
  /// clock, and equal contents count as the same sample.
  private static var capacity: Int { 65_536 }

  private var time: ReceiptTime?
  private var last: Content?
  private var counts: [Content: UInt32] = [:]

  /// - Returns: The number of earlier equal contents with this time.
  mutating func count(_ content: Content, at time: ReceiptTime) -> UInt32 {
    if self.time != time {
      self.time = time
      last = content
      if !counts.isEmpty { counts.removeAll() }
      return 0
    }
    // The table is needed only once there is a second content with the same time.
    if let last, counts.isEmpty { counts[last] = 1 }
    guard counts.count < Self.capacity else { return 0 }
    let number = counts[content, default: 0]
    counts[content] = number + 1
    return number
  }
}
