import Bluetooth

/// A value that a peer pushed, and what is in doubt about it. The doubt stays with it until it is known what
/// the value's handle is.
struct PushedValue: Sendable {
  var value: AttributeValue
  var time: ReceiptTime
  /// It may be the one before it, sent again: the capture does not tell.
  var isInDoubt = false
  /// The length of the whole value in bytes, if the log holds only its beginning.
  var wholeLength: Int?

  var marks: FrameMarks {
    var marks: FrameMarks = isInDoubt ? .mayBeCopy : []
    if wholeLength != nil { marks.insert(.truncated) }
    return marks
  }

  /// What a value in doubt is if it is a measurement: with beats in it, a repetition. No two frames of a
  /// strap have the same beats so soon after each other (Heart Rate Service 1.0, §3.1.1.1: bit 4, RR
  /// intervals).
  var isRepeatedMeasurement: Bool {
    isInDoubt && value.withBytes { $0.byteCount > 3 && ($0.uint8(at: 0) ?? 0) & 0x10 != 0 }
  }
}
