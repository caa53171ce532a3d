import Bluetooth
import Foundation
import HealthStorage

/// Derives a sample's UUID from the measurement, so that the same frame gives the same sample whenever and
/// from whichever source it is read. It is a `MeasuredIdentity` of kind, monitor, receipt time and content.
///
/// A heart rate's content is its value, so that the UUID can be computed from the sample and need not be
/// stored. Only the number of earlier equal values at the same time is needed in addition.
///
/// Replays, retries and imports are deduplicated by this UUID: the store skips one that it has.
struct SampleIdentity {
  enum Kind: UInt8, CaseIterable {
    /// The identity of a heart rate by its frame, from earlier versions. A store may contain many of these,
    /// so they are checked before a heart rate is stored.
    case heartRateFrame = 1
    case energy = 2
    case beats = 3
    /// A series of a live run, identified by its monitor and first receipt, because the identity is needed
    /// before the beats are known.
    case liveBeats = 5

    fileprivate var place: Int { Int(rawValue) - 1 }
    fileprivate static let count = 5
  }

  private var identity: MeasuredIdentity
  /// By kind. The samples of one kind arrive in the order of their times.
  private var occurrences = Array(repeating: Occurrences<UUID>(), count: Kind.count)
  private var heartRates = Occurrences<UInt16>()

  init(monitor address: String) { identity = MeasuredIdentity(monitor: address) }

  /// - Parameter value: Beats per minute.
  /// - Returns: The number of earlier equal values at this time.
  mutating func occurrence(ofHeartRate value: UInt16, at time: ReceiptTime) -> UInt32 {
    heartRates.count(value, at: time)
  }

  mutating func uuid(_ kind: Kind, at time: ReceiptTime, _ content: RawSpan) -> UUID {
    content.withUnsafeBytes { uuid(kind, at: time, octets: $0) }
  }

  /// Returns the identity of a series of a live run, from its first beat to the finished sample.
  static func uuid(of segment: BeatSegment, from address: String) -> UUID {
    var identity = SampleIdentity(monitor: address)
    return identity.hashed(
      .liveBeats, segment.firstReceipt, UnsafeRawBufferPointer(start: nil, count: 0),
      occurrence: UInt32(clamping: segment.ordinal))
  }

  private mutating func uuid(
    _ kind: Kind, at time: ReceiptTime, octets content: UnsafeRawBufferPointer
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

/// Counts equal contents at the time of the last one.
private struct Occurrences<Content: Hashable> {
  /// Maximum number of contents at one time. More equal times mean that the source has no clock; equal
  /// contents then count as the same sample.
  private static var capacity: Int { 65_536 }

  private var time: ReceiptTime?
  private var last: Content?
  private var counts: [Content: UInt32] = [:]

  /// - Returns: The number of earlier equal contents at this time.
  mutating func count(_ content: Content, at time: ReceiptTime) -> UInt32 {
    if self.time != time {
      self.time = time
      last = content
      if !counts.isEmpty { counts.removeAll() }
      return 0
    }
    // The table is only needed for the second content at the same time.
    if let last, counts.isEmpty { counts[last] = 1 }
    guard counts.count < Self.capacity else { return 0 }
    let number = counts[content, default: 0]
    counts[content] = number + 1
    return number
  }
}
