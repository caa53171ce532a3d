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

  /// Saves what became of a page, and tells of it.
  /// - Parameters:
  ///   - step: nil for records that were set aside and tried again.
  ///   - resets: how often the destination had been reset when the page was read.
  /// - Returns: false if it was reset meanwhile, or what was carried has changed: nothing is saved.
  /// - Throws: `SyncDestinationError.unknown` if it was removed; `HKError`.
  func save(_ carried: CarriedRecords, _ step: CursorStep?, resets: Int64) async throws -> Bool {
    let (ledger, id) = (ledger, destination.id)
    switch try await HKError.translating({ try await ledger.save(carried, step, to: id, resets: resets) }) {
    case .saved:
      board.update { $0.count(carried) }
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
  }
}
