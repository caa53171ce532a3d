/// Whose a file is.
public struct FileOwner: Hashable, Sendable {
  public var user: UInt32
  public var group: UInt32

  public init(user: UInt32, group: UInt32) {
    self.user = user
    self.group = group
  }
}
