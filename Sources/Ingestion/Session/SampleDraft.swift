import Bluetooth

/// What a measurement becomes, before it is a sample of its monitor.
enum SampleDraft: Sendable {
  /// Beats per minute, with the frame that said so.
  case heartRate(UInt16, at: ReceiptTime, frame: AttributeValue, marks: FrameMarks)
  case energy(EnergyDifference, frame: AttributeValue)
  case beats(BeatSegment, marks: FrameMarks)
}
