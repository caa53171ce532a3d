import Bluetooth
import Foundation
import HealthStorage

/// Derives a sample's UUID from what was measured, so that the same frame is the same sample whenever and
/// from whichever source it is read again: a `MeasuredIdentity` of kind, monitor, receipt time and content.
///
/// A heart rate's content is its value, so that its identity follows from what a sample says and need not be
/// kept beside it: it is enough to know how often the value came before at the same time.
struct SampleIdentity {
  enum Kind: UInt8, CaseIterable {
    /// By the frame, as earlier versions identified a heart rate. A store may be full of them: whoever stores
    /// one asks for this identity too.
    case heartRateFrame = 1
    case energy = 2
    case beats = 3
    /// A series that a live run began: by its monitor and its first receipt, because its identity must be known
    /// before its beats are.
    case liveBeats = 5

    fileprivate var place: Int { Int(rawValue) - 1 }
    fileprivate static let count = 5
  }

  private var identity: MeasuredIdentity
  /// By kind: those of one kind come in the order of their times.
  private var occurrences = Array(repeating: Occurrences<UUID>(), count: Kind.count)
  private var heartRates = Occurrences<UInt16>()

  init(monitor address: String) { identity = MeasuredIdentity(monitor: address) }

  /// - Parameter value: in beats per minute.
  /// - Returns: How often it came before at this time.
  mutating func occurrence(ofHeartRate value: UInt16, at time: ReceiptTime) -> UInt32 {
    heartRates.count(value, at: time)
  }

  mutating func uuid(_ kind: Kind, at time: ReceiptTime, _ content: RawSpan) -> UUID {
    content.withUnsafeBytes { uuid(kind, at: time, octets: $0) }
  }

  /// The identity of a series of a live run, from its first beat to the finished sample.
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

/// How often each content came at the time of the last one.
private struct Occurrences<Content: Hashable> {
  /// More equal times than this come from no clock at all, and equal content is then taken for one.
  private static var capacity: Int { 65_536 }

  private var time: ReceiptTime?
  private var last: Content?
  private var counts: [Content: UInt32] = [:]

  /// - Returns: How often it came before at this time.
  mutating func count(_ content: Content, at time: ReceiptTime) -> UInt32 {
    if self.time != time {
      self.time = time
      last = content
      if !counts.isEmpty { counts.removeAll() }
      return 0
    }
    // The table is needed only where a second one comes at the same time.
    if let last, counts.isEmpty { counts[last] = 1 }
    guard counts.count < Self.capacity else { return 0 }
    let number = counts[content, default: 0]
    counts[content] = number + 1
    return number
  }
}
