/// When a new file of a recording begins.
public struct LogRotation: Hashable, Sendable {
  /// Once a file has so many octets.
  public var size: Int64?
  /// Once so much time has passed.
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
