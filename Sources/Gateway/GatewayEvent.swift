public import BlueZ
public import Ingestion

/// What a running gateway has to say to whoever watches it.
public enum GatewayEvent: Sendable {
  /// The enrolled monitors: at the beginning, and whenever they change.
  case enrolled([EnrolledMonitor])
  /// A monitor is in another state.
  case state(FollowStatus)
  /// The gateway has tried to commit.
  case committed(CommitReport)
  /// The run is over, and this is its whole account.
  case ended(IngestionTally)
}
