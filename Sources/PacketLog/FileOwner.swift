/// The user and group that own a file.
public struct FileOwner: Hashable, Sendable {
  public var user: UInt32
  public var group: UInt32

  public init(user: UInt32, group: UInt32) {
    self.user = user
    self.group = group
  }
}
