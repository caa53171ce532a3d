import Synchronization

/// So many at a time, and no more: whoever comes then is told to come again.
final class RequestLimit: Sendable {
  /// Held as long as it is under way.
  final class Permit: Sendable {
    private let limit: RequestLimit

    fileprivate init(_ limit: RequestLimit) { self.limit = limit }

    deinit { limit.count.withLock { $0 -= 1 } }
  }

  private let most: Int
  private let count = Mutex(0)

  init(_ most: Int) { self.most = most }

  /// - Throws: ``PageFault/busy`` where there is no room.
  func permit() throws(PageFault) -> Permit {
    let isRoom = count.withLock { count in
      guard count < most else { return false }
      count += 1
      return true
    }
    guard isRoom else { throw .busy }
    return Permit(self)
  }

  /// Does the work, if there is room.
  /// - Throws: ``PageFault/busy``; what the work throws.
  func within<Value>(_ work: () async throws -> Value) async throws -> Value {
    let permit = try permit()
    defer { withExtendedLifetime(permit) {} }
    return try await work()
  }
}
