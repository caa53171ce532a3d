import HealthStorage

/// The condition of a store file. The file is inspected without opening the store, so nothing is created or
/// migrated, and a running gateway is not disturbed.
package struct StoreCondition: Hashable, Sendable {
  /// The kind of file at the path of the store.
  package enum State: Hashable, Sendable {
    case absent
    /// The file is not a store or cannot be read. The associated value is the reason.
    case unreadable(String)
    /// The store has an older schema. The associated value is the name of the schema version.
    case older(String)
    /// The store was written by a newer version of hrgate. The associated value is the name of the schema
    /// version.
    case newer(String)
    case current
  }

  package let state: State
  /// The permission bits of the file.
  package let mode: Int?
  /// Whether only the owner can enter one of the directories above the file, so that no other user can open
  /// the file.
  package let isShielded: Bool
  /// The problems found by a quick check that reads the whole file. Empty if there are none; nil if the file
  /// could not be read.
  package let problems: [String]?
  /// Size of the file and its write-ahead log in bytes.
  package let size: Int64
  /// Free space on the disk for this user in bytes.
  package let room: Int64?
  /// The processes that have the store open.
  package let holders: [Int32]
  /// Whether another program has the store open, including programs whose process ID is unknown. Nil if this
  /// cannot be determined.
  package let isOpenElsewhere: Bool?
  /// Whether a running gateway uses the store.
  package let hasGateway: Bool
  /// The process ID of the gateway, if it is known.
  package let gateway: Int32?

  /// Inspects the store file at a path.
  package init(ofStoreAt path: String) {
    let found = StoreInspection.look(at: path)
    state =
      switch found.state {
      case .absent: .absent
      case .unreadable(let failure): .unreadable(failure.description)
      case .older(let schema): .older(schema)
      case .newer(let schema): .newer(schema)
      case .current: .current
      }
    mode = found.mode
    isShielded = found.isShielded
    problems = found.problems
    size = found.size
    room = found.room
    holders = found.holders
    isOpenElsewhere = found.isOpenElsewhere
    hasGateway = found.hasGateway
    gateway = found.gateway
  }
}
