import Synchronization

/// Limits the number of operations that run at the same time. Further ones are rejected with
/// ``PageError/busy``.
final class RequestLimit: Sendable {
  /// A running operation. It counts until this object is released.
  final class Slot: Sendable {
    private let limit: RequestLimit

    fileprivate init(_ limit: RequestLimit) { self.limit = limit }

    deinit { limit.count.withLock { $0 -= 1 } }
  }

  private let most: Int
  private let count = Mutex(0)

  init(_ most: Int) { self.most = most }

  /// Returns a slot, which counts until the caller releases it.
  /// - Throws: ``PageError/busy`` if the limit is reached.
  func slot() throws(PageError) -> Slot {
    let isRoom = count.withLock { count in
      guard count < most else { return false }
      count += 1
      return true
    }
    guard isRoom else { throw .busy }
    return Slot(self)
  }

  /// Runs the work if the limit allows it.
  /// - Throws: ``PageError/busy``, or the error of the work.
  func within<Value>(_ work: () async throws -> Value) async throws -> Value {
    let slot = try slot()
    defer { withExtendedLifetime(slot) {} }
    return try await work()
  }
}
