import HealthStorage

/// The condition of a store file. The store is inspected without opening it, so nothing is created or
/// migrated, and a gateway that uses the store is not disturbed.
package struct StoreCondition: Hashable, Sendable {
  /// The state of the file.
  package enum State: Hashable, Sendable {
    case absent
    /// The file is not a store or cannot be read. The value is the reason.
    case unreadable(String)
    /// The store has an older schema, which is the value.
    case older(String)
    /// The store has a newer schema, which is the value.
    case newer(String)
    case current
  }

  package let state: State
  /// The permission bits of the file.
  package let mode: Int?
  /// Whether one of the directories above the file can be entered by its owner only.
  package let isShielded: Bool
  /// The findings of a quick check, which reads the whole file. Nil if it could not be read.
  package let flaws: [String]?
  /// Size of the file and its write-ahead log in bytes.
  package let size: Int64
  /// Free space on the disk for this user in bytes.
  package let room: Int64?
  /// The processes that have the store open.
  package let holders: [Int32]
  /// Whether another program has the store open, even if its process is unknown. `nil` if this cannot be
  /// determined.
  package let isOpenElsewhere: Bool?
  /// Whether a gateway uses the store.
  package let hasGateway: Bool
  /// The gateway's process, if it is known.
  package let gateway: Int32?

  /// Inspects the store in a file.
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
    flaws = found.flaws
    size = found.size
    room = found.room
    holders = found.holders
    isOpenElsewhere = found.isOpenElsewhere
    hasGateway = found.hasGateway
    gateway = found.gateway
  }
}
