import GRDB
import Synchronization

@testable import HealthStorage

extension SampleDatabase {
  /// Returns the number of segments that the store's writer reads during a call.
  func blockReads<Value>(during body: () async throws -> Value) async throws -> (count: Int, Value) {
    let count = Mutex(0)
    try await writer.writeWithoutTransaction { database in
      database.trace(options: .statement) { event in
        if "\(event)".contains(#/FROM main.block WHERE id = /#) { count.withLock { $0 += 1 } }
      }
    }
    let value = try await body()
    try await writer.writeWithoutTransaction { $0.trace(options: []) }
    return (count.withLock(\.self), value)
  }

  /// Makes segments unreadable.
  /// - Parameter condition: A condition on the columns of `block`.
  func damageBlocks(_ condition: String = "1") async throws {
    try await writer.write {
      try $0.execute(sql: "UPDATE block SET samples = x'01' WHERE \(condition)")
    }
  }
}
