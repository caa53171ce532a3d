/// The user and group that own a file.
public struct FileOwner: Hashable, Sendable {
  /// The numeric user ID (uid).
  public var user: UInt32
  /// The numeric group ID (gid).
  public var group: UInt32

  public init(user: UInt32, group: UInt32) {
    self.user = user
    self.group = group
  }
}
