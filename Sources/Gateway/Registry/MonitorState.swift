public import BlueZ

/// How far the gateway is with a monitor, as the store keeps it.
///
/// An open set: a store that another version wrote may hold a state that this one does not know.
public struct MonitorState: RawRepresentable, Hashable, Sendable {
  public var rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }

  public init(_ state: FollowState) { rawValue = state.rawValue }

  /// No gateway follows the monitor any more.
  public static let stopped = MonitorState(rawValue: "stopped")
}
