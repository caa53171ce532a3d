import HealthStorage

/// A store as it is, seen from outside. It is not opened, so nothing is made or brought up to date, and a
/// gateway that runs on it goes on.
package struct StoreCondition: Hashable, Sendable {
  package enum State: Hashable, Sendable {
    case absent
    /// It is no store, or cannot be read; with the reason.
    case unreadable(String)
    /// Of an older version; with its schema.
    case older(String)
    case newer(String)
    case current
  }

  package let state: State
  /// The permission bits of the file.
  package let mode: Int?
  /// It lies in a folder that only its owner can enter, however far above it.
  package let isShielded: Bool
  /// What a quick check found, which reads the whole file; nil where it could not be read.
  package let flaws: [String]?
  /// Octets of the file and its log.
  package let size: Int64
  /// Octets that this user may still write to the disk.
  package let room: Int64?
  /// The processes of the programs that have it open.
  package let holders: [Int32]
  /// Another program has it open, be its process known or not; `nil` where that cannot be found out.
  package let isOpenElsewhere: Bool?
  package let hasGateway: Bool
  /// The gateway's process, where that is known.
  package let gateway: Int32?

  /// Looks at the store in a file.
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
