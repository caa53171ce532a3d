import Bluetooth

/// The reason why a measurement was not stored as a heart-rate sample. Each measurement is stored, a
/// duplicate, or rejected for one of these reasons.
public enum Rejection: String, Hashable, Sendable, CaseIterable {
  /// The frame is empty.
  case empty
  /// The frame ends before the heart rate.
  case tooShort
  /// Recordings only: the recorder cut off the frame before the heart rate.
  case truncated
  /// The strap reports that it has no skin contact, so the value is not a heart rate.
  case contactNotDetected
  /// 0 beats per minute: the strap has no reading.
  case zeroHeartRate
  /// Outside 6 to 300 beats per minute, or 255 in eight bits: the strap has no reading, or is broken.
  case implausibleHeartRate
  /// Received outside the years 1970 to 9999, which a sample cannot represent.
  case receiptTimeOutOfRange
  /// The store rejected the batch (full disk, locked file); nothing of the batch was stored.
  case storeFailed
  /// Recordings only: the monitor is enrolled in another person's store.
  case otherPerson
  /// Recordings only: several people have used the monitor, or the recording does not identify it, so its
  /// owner is not known.
  case unknownPerson
  /// Recordings only: the measurements of other monitors were requested.
  case otherMonitor

  init(_ reason: GATTDecodingError.Reason) {
    self = reason == .empty ? .empty : .tooShort
  }
}
