import HealthKit
import HealthStorage

/// What a run and its rounds work with.
struct RunContext: Sendable {
  let destination: SyncDestinationRecord
  let ledger: SyncLedger
  let carrier: PageCarrier
  let policy: SyncPolicy
  /// By which it waits.
  let clock: any Clock<Duration>
  let board: ProgressBoard
  /// Whether the run goes on once everything is there.
  let follows: Bool

  /// Saves the outcome of a page, and reports the progress.
  /// - Parameters:
  ///   - step: nil for records that were set aside and tried again.
  ///   - resets: how often the destination had been reset when the page was read.
  /// - Returns: false if it was reset meanwhile, or what was carried has changed: nothing is saved.
  /// - Throws: `SyncDestinationError.unknown` if it was removed; `HKError`.
  func save(_ sent: PageCarrier.Sent, _ step: CursorStep?, resets: Int64) async throws -> Bool {
    let (ledger, id) = (ledger, destination.id)
    let saving = try await HKError.translating {
      try await ledger.save(sent.records, step, marker: sent.marker, to: id, resets: resets)
    }
    switch saving {
    case .saved:
      board.update { $0.count(sent.records) }
      return true
    case .superseded: return false
    case .gone: throw SyncDestinationError.unknown(destination.name)
    }
  }
}

extension SyncProgress {
  fileprivate mutating func count(_ carried: CarriedRecords) {
    sent += carried.sent
    deleted += carried.deleted
    setAside += carried.refused.count
    rejected += carried.rejected.values.reduce(0, +)
  }
}
