import Synchronization

/// So many at a time, and no more: whoever comes then is told to come again.
final class RequestLimit: Sendable {
  private let most: Int
  private let count = Mutex(0)

  init(_ most: Int) { self.most = most }

  /// Does the work, if there is room.
  /// - Throws: ``PageFault/busy``; what the work throws.
  func within<Value>(_ work: () async throws -> Value) async throws -> Value {
    let isRoom = count.withLock { count in
      guard count < most else { return false }
      count += 1
      return true
    }
    guard isRoom else { throw PageFault.busy }
    defer { count.withLock { $0 -= 1 } }
    return try await work()
  }
}
