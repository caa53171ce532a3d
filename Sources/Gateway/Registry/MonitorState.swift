public import BlueZ

/// The gateway's state for a monitor, as stored.
///
/// The set of values is open: a store that another version wrote may contain an unknown state.
public struct MonitorState: RawRepresentable, Hashable, Sendable {
  public var rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }

  public init(_ state: FollowState) { rawValue = state.rawValue }

  /// No gateway follows the monitor.
  public static let stopped = MonitorState(rawValue: "stopped")
}
