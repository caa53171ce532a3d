import Foundation
import HealthDataSync

/// Finds the changes that make a server fail by repeatedly halving a transaction, and sends all other
/// changes.
///
/// Before a change is blamed for a server error, a read request checks that the server still responds. A
/// later successful write proves that the server works, so that the blamed change was the cause. Until there
/// is such a proof, only a few changes can be blamed. Beyond that number, the attempt fails, and the blamed
/// changes are remembered as suspects. So a server that is down or full leads to only a few rejected records.
/// Nevertheless, a page of changes in which every record makes the server fail can be completed.
struct FailingChangeSearch {
  /// Maximum number of changes that are blamed for server errors without proof, which is a later successful
  /// write: `before` the server has written anything in this attempt, and `after` that.
  private static let most = (before: 3, after: 100)

  private let transactions: Transactions
  private var receipt = Receipt()
  /// The changes that made the server fail since its last successful write.
  private var open: [FailingChange] = []

  init(_ transactions: Transactions) { self.transactions = transactions }

  /// Sends changes and collects the changes that make the server fail.
  ///
  /// - Parameters:
  ///   - parts: The changes of each transaction.
  ///   - suspects: Changes for which the server failed in an earlier attempt. They are sent last, one per
  ///     transaction.
  /// - Throws: `ExternalStoreError`; `TransactionError`.
  mutating func upload(
    _ parts: [[TransactionChange]], suspects: [TransactionChange] = []
  ) async throws -> Receipt {
    for part in parts { try await divide(part) }
    for suspect in suspects { try await divide([suspect]) }
    try requireProof(of: Self.most.before + 1)
    settle()
    return receipt
  }

  /// The number of changes in `open` that were not suspects before this attempt.
  private var newcomers: Int { open.count { !transactions.memory.suspects.contains($0.uuid) } }

  private mutating func settle() {
    receipt.serverFailures += open.map(\.rejection)
    open = []
  }

  /// Ends the attempt if `most` or more new changes are blamed for server errors without proof.
  ///
  /// - Throws: `TransactionError` if the limit is reached.
  private func requireProof(of most: Int) throws {
    guard newcomers >= most, let first = open.first, let last = open.last else { return }
    throw TransactionError(at: first.uuid, last.error, suspects: open.map(\.uuid))
  }

  /// Sends changes in one transaction. If the server rejects it or fails, sends each half separately.
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
      receipt += try await transactions.upload(changes[0], refused: status, outcome)
    case .failed(let status, let error) where changes.count == 1:
      try await transactions.probe(changes[0].uuid)
      open.append(FailingChange(uuid: changes[0].uuid, status: status, error: error))
    case .failed:
      let middle = changes.count / 2
      try await divide(Array(changes[..<middle]))
      try await divide(Array(changes[middle...]))
    }
  }
}

/// Counts the server errors since a page of changes was last sent successfully.
///
/// There are two cases. A server that is down fails for every transaction, which must not cause records to be
/// rejected. A server with a bug that one record triggers always fails for the transaction with that record,
/// so the records after it would never be sent. Repeated failures of the same transaction indicate the second
/// case.
struct ServerErrorHistory {
  /// Number of failures of the same transaction after which to search for the record that causes them. It is
  /// lower than the number of attempts of `Synchronizer.runOnce()`.
  private static let attempts = 2

  private var failing: UUID?
  private var count = 0
  /// The changes for which the server failed when they were sent alone. They are sent last, one per
  /// transaction.
  private(set) var suspects: Set<UUID> = []

  var searchesFailingChange: Bool { count >= Self.attempts }

  mutating func note(_ failure: TransactionError) {
    let isKnown = failure.uuid == failing || !failure.suspects.isEmpty
    count = isKnown ? count + 1 : 1
    failing = failure.uuid
    suspects.formUnion(failure.suspects)
  }
}

/// A change for which the server failed when it was sent alone.
struct FailingChange: Sendable {
  let uuid: UUID
  let status: Int
  let error: ExternalStoreError

  var rejection: RejectedChange {
    RejectedChange(uuid: uuid, reason: "the FHIR server fails each time it receives this sample (\(status))")
  }
}

/// An error of the server for a whole transaction, which is sent again later.
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
