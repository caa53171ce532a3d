import Synchronization

/// A limit for simultaneous work. Requests beyond it are rejected with ``PageFault/busy``.
final class RequestLimit: Sendable {
  /// Held while the work is running.
  final class Permit: Sendable {
    private let limit: RequestLimit

    fileprivate init(_ limit: RequestLimit) { self.limit = limit }

    deinit { limit.count.withLock { $0 -= 1 } }
  }

  private let most: Int
  private let count = Mutex(0)

  init(_ most: Int) { self.most = most }

  /// Returns a permit.
  /// - Throws: ``PageFault/busy`` if the limit is reached.
  func permit() throws(PageFault) -> Permit {
    let isRoom = count.withLock { count in
      guard count < most else { return false }
      count += 1
      return true
    }
    guard isRoom else { throw .busy }
    return Permit(self)
  }

  /// Runs the work if the limit allows it.
  /// - Throws: ``PageFault/busy``, or the error of the work.
  func within<Value>(_ work: () async throws -> Value) async throws -> Value {
    let permit = try permit()
    defer { withExtendedLifetime(permit) {} }
    return try await work()
  }
}
