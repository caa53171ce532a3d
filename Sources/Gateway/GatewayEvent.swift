public import BlueZ
public import Bluetooth
public import Ingestion

/// What a running gateway has to say to whoever watches it.
public enum GatewayEvent: Sendable {
  /// Another gateway runs on the store, and its end is waited for: ``LivePolicy/waitsForAnother``. With the
  /// number of its process, where that is known.
  case waiting(process: Int32?)
  /// The enrolled monitors: at the beginning, and whenever they change.
  case enrolled([EnrolledMonitor])
  /// A monitor is in another state.
  case state(FollowStatus)
  /// Monitors measured: what came in together, in the order of receipt, and before it is committed.
  case measured([LiveMeasurement])
  /// A monitor told its battery level.
  case battery(LiveBattery)
  /// A monitor is heard by a discovery, and how strongly. Not while it is linked: bluetoothd does not tell.
  case heard(HeardSignal)
  /// The gateway has tried to commit.
  case committed(CommitReport)
  /// More came in while a commit is under way: the counts so far, as ``committed(_:)`` has them, and how many
  /// samples and gaps wait. A store that hangs does not make them stand still.
  case counted(IngestionTally, heldBack: Int)
  /// Figures that are derived from what is stored were written, replaced or withdrawn; or why they could not
  /// be. The gateway tries again.
  case derived(DerivationReport)
  /// Old samples were packed, or some of them or all could not be. The gateway tries again.
  case condensed(CondensingReport)
  /// A packed hour of the store cannot be read: which, and why, with the remedy. Told once of each; what is
  /// measured is stored all the same.
  case damaged(reason: String)
  /// The store cannot be used, and why; it is tried again. Only of a person whose gateway is one of several.
  case refused(reason: String)
  /// A part of the gateway has not answered from one turn to the next; or it answers again. Only of one of
  /// several, whose others go on meanwhile. What reads the bus is everybody's, and told of once.
  case hanging(GatewayPart, Bool)
  /// The run is to end, and whoever's gateway ends from now on does so with it. Only where there are several.
  case stopping
  /// So many events before the next one are missing: this watcher was behind, and they were not kept for it.
  case missed(Int)
  /// The run is over, and this is its whole account.
  case ended(IngestionTally)
}

/// An event of a gateway, when it was told, and of whom.
public struct TimedGatewayEvent: Sendable {
  /// When the gateway told it, whenever it is read. For ``GatewayEvent/missed(_:)`` it is when the first that
  /// is missing was told.
  public var told: SystemClocks
  /// Whose store it is about; `nil` for the owner's.
  public var person: String?
  public var event: GatewayEvent

  public init(told: SystemClocks, person: String? = nil, event: GatewayEvent) {
    self.told = told
    self.person = person
    self.event = event
  }
}
