/// Whether the monitor reports skin contact.
public enum SensorContact: Hashable, Sendable, CaseIterable {
  /// The monitor does not detect contact, so there may be contact or not.
  case notSupported
  /// Contact detection is supported; no or poor contact.
  case notDetected
  case detected
}
