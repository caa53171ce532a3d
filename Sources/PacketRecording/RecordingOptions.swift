public import Bluetooth
public import PacketLog

/// What to record, and into which files.
public struct RecordingOptions: Hashable, Sendable {
  /// The packets to record.
  public enum Scope: Hashable, Sendable {
    /// The traffic of certain straps, and the state of the controllers.
    case straps(Set<BluetoothAddress>)
    /// All traffic between the controllers and the host.
    case everything
  }

  /// The packets to record.
  public var scope: Scope
  /// Whether to record the keys of pairing and encryption. If not, they are overwritten with zeros.
  public var keepsKeys = false
  /// When to start a new file; `nil` for a single file.
  public var rotation: LogRotation?
  /// The owner of the files; `nil` for the user who runs the recording.
  public var owner: FileOwner?

  public init(
    _ scope: Scope, keepsKeys: Bool = false, rotation: LogRotation? = nil, owner: FileOwner? = nil
  ) {
    self.scope = scope
    self.keepsKeys = keepsKeys
    self.rotation = rotation
    self.owner = owner
  }
}

/// Determines when to start a new file: as soon as one of the conditions is met.
public struct LogRotation: Hashable, Sendable {
  /// The size in bytes after which a new file starts; `nil` for no limit.
  public var size: Int64?
  /// The time after which a new file starts; `nil` for no limit.
  public var time: Duration?

  public init(size: Int64? = nil, time: Duration? = nil) {
    self.size = size
    self.time = time
  }

  func isDue(size: Int64, age: Duration) -> Bool {
    if let limit = self.size, size >= limit { return true }
    if let limit = time, age >= limit { return true }
    return false
  }
}

/// The counts of a recording.
public struct RecordingTally: Hashable, Sendable {
  /// Number of messages read from the channel.
  public var seen = 0
  /// Number of records written, not counting records that are repeated at the start of each new file.
  public var recorded = 0
  /// Number of packets that the kernel dropped.
  public var dropped: UInt32 = 0
  /// The number of files written.
  public var files = 1

  public init() {}
}
