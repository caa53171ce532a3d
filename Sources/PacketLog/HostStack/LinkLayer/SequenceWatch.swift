import Bluetooth

/// Detects retransmissions of PDUs by one side of a connection (Core Specification, Vol 6, Part B, §4.5.9).
///
/// A sender repeats a PDU with the same sequence bit until the other side acknowledges it by expecting the
/// other bit. So a PDU with the same bit and content as the previous one is a retransmission. This applies
/// even after an acknowledgment, because the sender may have missed one that the sniffer received. But if the
/// other side then expects the first bit again, the sniffer has missed a PDU, and the next one is new.
///
/// The bit alone is not enough, because the sniffer misses packets and a log may omit empty PDUs, so that
/// consecutive new PDUs may have the same bit. A PDU with different content is new. A PDU that comes much
/// later than the next connection event is also new.
struct SequenceWatch: Sendable {
  /// How the other side has reacted to the last PDU.
  private enum Answer {
    case none
    case acknowledged
    /// The other side has acknowledged the last PDU, and then received another one that the sniffer missed.
    case overtaken
  }

  private struct PDU {
    /// The header bits that determine the kind of PDU. In a retransmission, only kind, length and payload are
    /// the same; other header bits may change.
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
  ///   - window: Maximum time in microseconds between two transmissions of the same PDU.
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
