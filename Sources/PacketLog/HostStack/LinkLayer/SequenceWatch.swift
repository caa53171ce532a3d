import Bluetooth

/// Detects retransmitted PDUs of one side of a connection (Core Specification, Vol 6, Part B, §4.5.9).
///
/// A sender repeats a PDU with the same sequence bit until the other side acknowledges it by expecting the
/// next bit. A PDU with the bit and content of the previous one is therefore a retransmission. This holds
/// even after an acknowledgement, because the sender may have missed what the sniffer received. If the other
/// side then expects the old bit again, the sniffer missed a PDU in between, and the next one is new.
///
/// The bit alone is not sufficient: the sniffer misses packets, and a log may omit empty PDUs, so all values
/// may have the same bit. A PDU with different content is new. A retransmission is sent at the next
/// connection event, so a PDU that comes much later is new too.
struct SequenceWatch: Sendable {
  /// The other side's acknowledgement of the last PDU.
  private enum Answer {
    case none
    case acknowledged
    /// The other side received another PDU since then.
    case overtaken
  }

  private struct PDU {
    /// The kind bits of the header. Retransmissions have the same kind, length, and payload; the other bits
    /// of the header may change.
    var kind: UInt8
    var content: [UInt8]
    var sequence: UInt8
    /// The time of the last transmission.
    var time: ReceiptTime
  }

  private var last: PDU?
  private var answer = Answer.none

  /// - Parameters:
  ///   - pdu: A PDU with its header, not empty.
  ///   - window: Maximum time in microseconds between two transmissions of a PDU.
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

  /// Records the sequence bit that the other side expects next.
  mutating func hear(expected: UInt8) {
    guard let last else { return }
    if last.sequence != expected {
      if answer == .none { answer = .acknowledged }
    } else if answer == .acknowledged {
      answer = .overtaken
    }
  }
}
