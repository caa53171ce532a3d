import Foundation
import HealthDataSync

/// Looks for the changes that a server fails with, in halves: the others go over.
///
/// That the server answers what it holds is asked before each fault that is blamed on a change; that it
/// still writes, what it writes afterwards proves. Where it writes nothing more, a few are blamed all the
/// same. More of them are remembered and the attempt fails: so a server that is down, or is full, costs
/// little, and a page of nothing but such changes gets through in the end.
struct FaultSearch {
  /// So many without proof: as long as the server has written nothing at all, and once it has.
  private static let most = (before: 3, after: 100)

  private let transactions: Transactions
  private var receipt = Receipt()
  /// Since the server last wrote something.
  private var open: [Fault] = []

  init(_ transactions: Transactions) { self.transactions = transactions }

  /// - Parameters:
  ///   - parts: a transaction each.
  ///   - suspects: what the server failed with in an earlier attempt. They go last, each by itself.
  /// - Throws: `ExternalStoreError`; `TransactionFailure`.
  mutating func carry(
    _ parts: [[TransactionChange]], suspects: [TransactionChange] = []
  ) async throws -> Receipt {
    for part in parts { try await divide(part) }
    for suspect in suspects { try await divide([suspect]) }
    try requireProof(of: Self.most.before + 1)
    settle()
    return receipt
  }

  /// Those that no earlier attempt knows.
  private var newcomers: Int { open.count { !transactions.memory.suspects.contains($0.uuid) } }

  private mutating func settle() {
    receipt.faults += open.map(\.refusal)
    open = []
  }

  /// - Throws: `TransactionFailure`, where nothing was written since so many faults.
  private func requireProof(of most: Int) throws {
    guard newcomers >= most, let first = open.first, let last = open.last else { return }
    throw TransactionFailure(at: first.uuid, last.error, suspects: open.map(\.uuid))
  }

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
