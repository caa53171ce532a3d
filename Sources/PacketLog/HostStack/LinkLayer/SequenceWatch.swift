import Bluetooth

/// Tells which PDUs of one side of a connection are new (Core Specification, Vol 6, Part B, §4.5.9).
///
/// A sender repeats a PDU with its sequence bit until it hears that the other side expects the next one; what
/// a side expects stands in its own PDUs. So the bit and the content of the PDU before make a repetition, and
/// an acknowledgement changes nothing of that: the sniffer heard it, and the sender may not have. Only when
/// the other side, having acknowledged the PDU, expects that bit again, has there been another PDU in
/// between, which the sniffer missed.
///
/// The bit alone proves nothing, because a sniffer misses packets, and a log may hold no empty ones: then
/// every value may have the same bit. Other content is another PDU. And as a repetition comes at the next
/// connection event, what comes much later is another PDU too.
struct SequenceWatch: Sendable {
  /// What the other side said of the last PDU.
  private enum Answer {
    case none
    case acknowledged
    /// It has had another PDU since.
    case overtaken
  }

  private struct PDU {
    /// What every repetition has in common: the kind, the length and the payload. The header's other bits
    /// may change.
    var kind: UInt8
    var content: [UInt8]
    var sequence: UInt8
    /// When it was heard last.
    var time: ReceiptTime
  }

  private var last: PDU?
  private var answer = Answer.none

  /// - Parameters:
  ///   - pdu: With its header; not empty.
  ///   - window: How long after it was heard last a PDU may be repeated, in microseconds.
  mutating func isNew(_ pdu: RawSpan, at time: ReceiptTime, within window: Int64) -> Bool {
    let header = pdu.uint8(at: 0) ?? 0
    let heard = PDU(
      kind: header & 0b11, content: pdu.extracting(droppingFirst: 1).copiedBytes(),
      sequence: header >> 3 & 1, time: time)
    if let last, answer != .overtaken, heard.sequence == last.sequence, heard.kind == last.kind,
      (0...window).contains(time.microseconds(since: last.time)), heard.content == last.content
    {
      self.last?.time = time
      return false
    }
    last = heard
    answer = .none
    return true
  }

  /// The other side's PDU says which sequence bit it expects next.
  mutating func hear(expected: UInt8) {
    guard let last else { return }
    if last.sequence != expected {
      if answer == .none { answer = .acknowledged }
    } else if answer == .acknowledged {
      answer = .overtaken
    }
  }
}
