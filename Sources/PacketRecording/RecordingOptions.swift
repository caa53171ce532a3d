public import Bluetooth
public import PacketLog

/// What is recorded, and into how many files.
public struct RecordingOptions: Hashable, Sendable {
  /// Whose packets.
  public enum Scope: Hashable, Sendable {
    /// Of these, and what tells of the controllers.
    case straps(Set<BluetoothAddress>)
    /// Of everything that the controllers exchange with the host.
    case everything
  }

  public var scope: Scope
  /// The keys of pairing and encryption stay in the log; else they are overwritten with zeros.
  public var keepsKeys = false
  /// `nil` for one file.
  public var rotation: LogRotation?
  /// Whose the files are to be; `nil` for whoever records.
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
