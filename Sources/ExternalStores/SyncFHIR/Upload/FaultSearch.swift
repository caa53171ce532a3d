import Foundation
import HealthDataSync

/// A bisection that finds the changes that make a server fail and sends all the others.
///
/// Before a change is blamed, a read request checks that the server still responds. A later successful write
/// proves that the server works and that the change was at fault. If no write succeeds, only a few changes
/// are blamed without proof. Beyond that limit the attempt fails and the changes are remembered as suspects.
/// A server that is down or full therefore rejects few records, and a page that contains only such records
/// still completes.
struct FaultSearch {
  /// Maximum number of changes blamed without proof, before and after the server's first successful write.
  private static let most = (before: 3, after: 100)

  private let transactions: Transactions
  private var receipt = Receipt()
  /// The changes blamed since the server's last successful write.
  private var open: [Fault] = []

  init(_ transactions: Transactions) { self.transactions = transactions }

  /// Sends changes and collects the ones that make the server fail.
  ///
  /// - Parameters:
  ///   - parts: The changes of each transaction.
  ///   - suspects: Changes for which the server failed in an earlier attempt. They are sent last, one per
  ///     transaction.
  /// - Throws: `ExternalStoreError`; `TransactionError`.
  mutating func carry(
    _ parts: [[TransactionChange]], suspects: [TransactionChange] = []
  ) async throws -> Receipt {
    for part in parts { try await divide(part) }
    for suspect in suspects { try await divide([suspect]) }
    try requireProof(of: Self.most.before + 1)
    settle()
    return receipt
  }

  /// The number of open faults whose changes were not suspects before this attempt.
  private var newcomers: Int { open.count { !transactions.memory.suspects.contains($0.uuid) } }

  private mutating func settle() {
    receipt.faults += open.map(\.refusal)
    open = []
  }

  /// Checks that fewer than `most` new faults are open.
  ///
  /// - Throws: `TransactionError` if the limit is reached.
  private func requireProof(of most: Int) throws {
    guard newcomers >= most, let first = open.first, let last = open.last else { return }
    throw TransactionError(at: first.uuid, last.error, suspects: open.map(\.uuid))
  }

  /// Sends changes in one transaction and bisects them if the server refuses it or fails.
  private mutating func divide(_ changes: [TransactionChange]) async throws {
    try requireProof(of: receipt.written > 0 ? Self.most.after : Self.most.before)
    switch try await transactions.send(changes) {
    case .taken(let responses):
      let (part, failed) = try transactions.receipt(of: changes, responses)
      receipt += part
      open += failed
      if part.written > 0 { settle() }
    case .refused(let status, let outcome):
      guard changes.count == 1 else {
        for group in Transactions.apart(changes, outcome) { try await divide(group) }
        return
      }
      receipt += try await transactions.carry(changes[0], refused: status, outcome)
    case .failed(let status, let error) where changes.count == 1:
      try await transactions.probe(changes[0].uuid)
      open.append(Fault(uuid: changes[0].uuid, status: status, error: error))
    case .failed:
      let middle = changes.count / 2
      try await divide(Array(changes[..<middle]))
      try await divide(Array(changes[middle...]))
    }
  }
}

/// The server errors seen since the last successful page.
///
/// A server that is down fails for every transaction, so no record may be rejected for it. A server with a
/// bug that one record triggers fails each time for that record's transaction, and nothing behind it would
/// ever be sent. Counting repeated failures separates the two cases.
struct FaultMemory {
  /// Number of failures of the same transaction before the store searches for the record at fault. It is
  /// lower than the number of attempts that `Synchronizer.runOnce()` makes.
  private static let attempts = 2

  private var failing: UUID?
  private var count = 0
  /// The changes for which the server failed when they were sent alone. They are sent last, one per
  /// transaction.
  private(set) var suspects: Set<UUID> = []

  var looksForFaults: Bool { count >= Self.attempts }

  mutating func note(_ failure: TransactionError) {
    let isKnown = failure.uuid == failing || !failure.suspects.isEmpty
    count = isKnown ? count + 1 : 1
    failing = failure.uuid
    suspects.formUnion(failure.suspects)
  }
}

/// A change for which the server failed when it was sent alone.
struct Fault: Sendable {
  let uuid: UUID
  let status: Int
  let error: ExternalStoreError

  var refusal: Refusal {
    Refusal(uuid: uuid, reason: "the FHIR server fails with it again and again (\(status))")
  }
}

/// A server error for a whole transaction. The transaction is sent again later.
struct TransactionError: Error {
  /// The first change of the transaction. It identifies the transaction when it is sent again.
  let uuid: UUID
  /// Changes for which the server failed when they were sent alone.
  let suspects: [UUID]
  let error: ExternalStoreError

  init(at uuid: UUID, _ error: ExternalStoreError, suspects: [UUID] = []) {
    self.uuid = uuid
    self.suspects = suspects
    self.error = error
  }
}
