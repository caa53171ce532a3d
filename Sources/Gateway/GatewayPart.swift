/// A part of a running gateway that can hang by itself.
public enum GatewayPart: String, Hashable, Sendable, CaseIterable {
  /// The store: it is opened or read, or what was measured is committed.
  case store
  /// What follows the monitors, and reads the bus for that. All gateways of a household have one.
  case bus
}
