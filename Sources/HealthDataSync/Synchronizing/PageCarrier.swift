import Foundation
import HealthKit
import HealthStorage

/// Between the store and the external one, with what the engine expects of that: whatever it throws is an
/// `ExternalStoreError` or the end of the task, and it refuses nothing but what it was given.
struct PageCarrier: Sendable {
  let store: HKHealthStore
  let external: any ExternalStore

  func open() async throws { try await explaining { try await external.open() } }

  func reset() async throws { try await explaining { try await external.reset() } }

  /// Closing goes on when the run is cancelled.
  func close() async {
    let external = external
    await Task { await external.close() }.value
  }

  /// Carries what was read.
  /// - Parameter supersedes: whether all of it may be there as it was before.
  /// - Returns: what became of it.
  func carry(
    _ page: SampleChangePage, of type: HKSampleType, supersedes: Bool
  ) async throws -> CarriedRecords {
    let refusals = try await refusals(page, type, supersedes)
    let reasons = Dictionary(
      (refusals.map { ($0.uuid, $0.reason) } + page.unreadable.map { ($0.uuid, $0.reason) }),
      uniquingKeysWith: { first, _ in first })
    let added = page.added.map(\.uuid).filter { reasons[$0] == nil }
    let deleted = page.deleted.map(\.uuid).filter { reasons[$0] == nil }
    var all = Set(page.unreadable.map(\.uuid))
    if !refusals.isEmpty { all.formUnion(page.added.map(\.uuid) + page.deleted.map(\.uuid)) }
    return CarriedRecords(
      type: type.identifier, sent: added.count, deleted: deleted.count, settled: added + deleted,
      refused: reasons.filter { all.contains($0.key) }.map { ($0.key, $0.value) },
      time: Microseconds.clamped(Date()))
  }

  private func refusals(
    _ page: SampleChangePage, _ type: HKSampleType, _ supersedes: Bool
  ) async throws -> [Refusal] {
    let changes = ChangePage(
      type: type, deleted: page.deleted,
      added: page.added.map {
        ExternalRecord($0, supersedes: supersedes || page.changed.contains($0.uuid))
      })
    guard !changes.isEmpty else { return [] }
    return try await explaining { try await external.carry(changes) }
  }

  private func explaining<Value>(_ work: () async throws -> Value) async throws -> Value {
    do {
      return try await work()
    } catch {
      if Task.isCancelled { throw CancellationError() }
      throw ExternalStoreError(explaining: error)
    }
  }
}
