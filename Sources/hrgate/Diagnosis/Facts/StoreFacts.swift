import Foundation

/// The state of a store's file. Sizes are in bytes.
public struct StoreFacts: Hashable, Sendable {
  public enum State: Hashable, Sendable {
    case absent
    /// The file is unreadable or not a store, with the reason.
    case unreadable(String)
    /// The store has the schema of an older version.
    case older(String)
    case newer(String)
    /// The store is encrypted, and its key is not in the user's keyring.
    case locked
    case current
  }

  public enum Encryption: Hashable, Sendable {
    /// The store is not encrypted. `disk` says whether its disk is; `nil` if unknown.
    case plain(disk: Bool?)
    case encrypted
  }

  /// A process that has the store open.
  public struct Holder: Hashable, Sendable {
    public var process: Int32
    /// The program's name, if known.
    public var program: String?

    public init(process: Int32, program: String? = nil) {
      self.process = process
      self.program = program
    }
  }

  /// The person to whom the store belongs; `nil` for the account owner.
  public var person: String?
  public var path: String
  public var state: State
  /// The permission bits.
  public var mode: Int?
  /// Whether the permissions of some parent directory exclude all users except its owner.
  public var isShielded: Bool
  /// Errors that a quick check of the file found; `nil` if it was not run.
  public var problems: [String]?
  public var size: Int64
  public var room: Int64?
  /// Processes that have the store open; `nil` if not determined.
  public var holders: [Holder]?
  /// Whether another process has the store open, even one that this user cannot see; `nil` if unknown.
  public var isOpenElsewhere: Bool?
  /// Whether a gateway runs on the store.
  public var hasGateway: Bool
  /// The gateway's process ID, if known.
  public var gateway: Int32?
  /// Whether the store or its disk is encrypted; `nil` if there is no store.
  public var encryption: Encryption?
  /// Time of the latest measurement of an enrolled monitor, in seconds since 1970.
  public var latestMeasurement: Double?

  public init(
    path: String, state: State, mode: Int? = nil, isShielded: Bool = false, problems: [String]? = nil,
    size: Int64 = 0, room: Int64? = nil, holders: [Holder]? = nil,
    isOpenElsewhere: Bool? = nil, hasGateway: Bool = false, gateway: Int32? = nil,
    latestMeasurement: Double? = nil
  ) {
    self.path = path
    self.state = state
    self.mode = mode
    self.isShielded = isShielded
    self.problems = problems
    self.size = size
    self.room = room
    self.holders = holders
    self.isOpenElsewhere = isOpenElsewhere
    self.hasGateway = hasGateway
    self.gateway = gateway
    self.latestMeasurement = latestMeasurement
  }
}

extension StoreFacts.Holder {
  /// Creates a holder from a process ID. Every user can read the name from the kernel.
  public init(process: Int32, root: String = "/") {
    let name = try? String(contentsOfFile: "\(root)proc/\(process)/comm", encoding: .utf8)
    self.init(process: process, program: name.map { String($0.prefix { $0 != "\n" }) })
  }
}
