import Bluetooth

/// A value of a measurement, before it is converted to a sample of its monitor.
enum SampleDraft: Sendable {
  /// Beats per minute, with the frame that contained it.
  case heartRate(UInt16, at: ReceiptTime, frame: AttributeValue, marks: FrameMarks)
  case energy(EnergyDifference, frame: AttributeValue)
  case beats(BeatSegment, marks: FrameMarks)
}
