/// Whether the monitor touches skin, as far as it says.
public enum SensorContact: Hashable, Sendable, CaseIterable {
  /// The monitor has no contact detection, which is not the same as having no contact.
  case notSupported
  /// Contact detection is supported; no or poor contact.
  case notDetected
  case detected
}
