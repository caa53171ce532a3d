import Bluetooth

/// The reason why a measurement was not stored as a heart-rate sample. Each measurement is either stored, a
/// duplicate, or rejected for one of these reasons.
public enum Rejection: String, Hashable, Sendable, CaseIterable {
  /// The measurement frame is empty.
  case empty
  /// The measurement frame ends before the heart rate.
  case tooShort
  /// Only in recordings: the recorder cut off the measurement frame within the heart rate.
  case truncated
  /// The strap reports that it has no skin contact, so the value is not a heart rate.
  case contactNotDetected
  /// The heart rate is 0: the strap could not measure.
  case zeroHeartRate
  /// The heart rate is outside 6 to 300 beats per minute, or 255 in 8 bits: the strap could not measure, or
  /// is faulty.
  case implausibleHeartRate
  /// The measurement was received outside the years 1970 to 9999, which a sample cannot represent.
  case receiptTimeOutOfRange
  /// The commit failed (full disk, locked file), so the measurement was not stored.
  case storeFailed
  /// Only in recordings: the monitor belongs to another person.
  case otherPerson
  /// Only in recordings: it is unknown whose measurement it is, because several people have used the monitor
  /// or its address is unknown.
  case unknownPerson
  /// Only in recordings: the measurement is not from the monitor that the user requested.
  case otherMonitor
  /// Recorded while the store was locked: the monitor is not enrolled in it.
  case notEnrolled

  init(_ reason: GATTDecodingError.Reason) {
    self = reason == .empty ? .empty : .tooShort
  }
}
