import Bluetooth

/// Why a measurement became no heart-rate sample. Each measurement is stored, a duplicate, or rejected for
/// one of these.
public enum Rejection: String, Hashable, Sendable, CaseIterable {
  /// The frame has no octets.
  case empty
  /// The frame ends before the heart rate does.
  case tooShort
  /// Of a recording: the recorder kept the frame's beginning only, and the heart rate is not in it.
  case truncated
  /// The strap detects contact and has none, so what it reports is not a heart.
  case contactNotDetected
  /// 0 beats per minute: the strap has no reading.
  case zeroHeartRate
  /// Outside 6 to 300 beats per minute, or 255 in eight bits: the strap has no reading, or is broken.
  case implausibleHeartRate
  /// Received outside the years 1970 to 9999, which no sample can state.
  case receiptTimeOutOfRange
  /// The store refused the batch that held it (the disk is full, the file is locked); nothing of the batch
  /// was kept.
  case storeFailed
  /// Of a recording: the monitor is enrolled for somebody else than whose store it would go into.
  case otherPerson
  /// Of a recording: the monitor was several people's, or the recording does not name it, so that nobody
  /// knows whose heart it was.
  case unknownPerson
  /// Of a recording: only other monitors were asked for.
  case otherMonitor

  init(_ reason: DecodingFailure.Reason) {
    self = reason == .empty ? .empty : .tooShort
  }
}
