/// A part of a running gateway that can hang on its own.
public enum GatewayPart: String, Hashable, Sendable, CaseIterable {
  /// The store: opening it, reading it, or committing measurements.
  case store
  /// The central that follows the monitors, and its bus connection. All gateways of a household share one.
  case bus
}
