/// What can be seen of a store from outside. Sizes are octets.
public struct StoreFacts: Hashable, Sendable {
  public enum State: Hashable, Sendable {
    case absent
    /// It cannot be read, or is no store; with the reason.
    case unreadable(String)
    /// An older version wrote it; with its schema.
    case older(String)
    case newer(String)
    case current
  }

  /// A program that has it open.
  public struct Holder: Hashable, Sendable {
    public var process: Int32
    /// What it is called, where that is known.
    public var program: String?

    public init(process: Int32, program: String? = nil) {
      self.process = process
      self.program = program
    }
  }

  /// Whose it is, where that is not the owner.
  public var person: String?
  public var path: String
  public var state: State
  /// The permission bits.
  public var mode: Int?
  /// It lies in a folder that only its owner can enter, however far above it.
  public var isShielded: Bool
  /// What a quick check found; `nil` where there was none.
  public var flaws: [String]?
  public var size: Int64
  public var room: Int64?
  /// `nil` where it was not looked for.
  public var holders: [Holder]?
  /// Another program has it open, be it seen or not; `nil` where that is not known.
  public var isOpenElsewhere: Bool?
  /// A gateway runs on it.
  public var hasGateway: Bool
  /// Its process, where that is known.
  public var gateway: Int32?
  /// The latest measurement of an enrolled monitor, in seconds since 1970.
  public var latestMeasurement: Double?

  public init(
    path: String, state: State, mode: Int? = nil, isShielded: Bool = false, flaws: [String]? = nil,
    size: Int64 = 0, room: Int64? = nil, holders: [Holder]? = nil,
    isOpenElsewhere: Bool? = nil, hasGateway: Bool = false, gateway: Int32? = nil,
    latestMeasurement: Double? = nil
  ) {
    self.path = path
    self.state = state
    self.mode = mode
    self.isShielded = isShielded
    self.flaws = flaws
    self.size = size
    self.room = room
    self.holders = holders
    self.isOpenElsewhere = isOpenElsewhere
    self.hasGateway = hasGateway
    self.gateway = gateway
    self.latestMeasurement = latestMeasurement
  }
}
