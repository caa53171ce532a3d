import Foundation
import HealthDataSync

/// What is remembered of a server's failures from one attempt to the next.
///
/// A server that is down fails with whatever comes, and nothing may be set aside for that. One that has a
/// fault which a single record brings out fails with that record's transaction whenever it comes, and
/// nothing behind it would ever get through.
struct FaultMemory {
  /// So often the same transaction fails before it is looked through: fewer than the attempts of
  /// `Synchronizer.runOnce()`.
  private static let attempts = 2

  private var failing: UUID?
  private var count = 0
  /// What the server failed with alone. It comes last, and by itself.
  private(set) var suspects: Set<UUID> = []

  var looksForFaults: Bool { count >= Self.attempts }

  mutating func note(_ failure: TransactionFailure) {
    let isKnown = failure.uuid == failing || !failure.suspects.isEmpty
    count = isKnown ? count + 1 : 1
    failing = failure.uuid
    suspects.formUnion(failure.suspects)
  }
}
