import Foundation
import HealthDataSync
import HealthKit

extension FHIRStore {
  func transactions(_ client: FHIRClient) -> Transactions {
    Transactions(client: client, limits: limits, memory: memory)
  }

  /// How often it is looked anew what the server has, where somebody else writes the same at the same time.
  private static let attempts = 3

  /// - Parameter marking: goes with the first of the transactions.
  /// - Returns: what FHIR has no words for, or the server fails with; and what the server refuses.
  func add(
    _ records: [ExternalRecord], with marking: TransactionChange?, _ client: FHIRClient
  ) async throws -> (impossible: [Refusal], refused: [Refusal]) {
    try await settleDevices(of: records, client)
    var outgoing = OutgoingObservations(of: records, mapping) { self.reference(to: $0) }
    let new = records.filter { !$0.supersedes }.map(\.sample.uuid)
    var receipt = try await transactions(client).carry(
      new.compactMap { uuid in try outgoing.change(uuid) { .create($0, uuid, condition) } }
        + [marking].compactMap(\.self))
    // What is there in some form, or may be.
    var open = Set(records.filter(\.supersedes).map(\.sample.uuid)).union(receipt.present)
    for _ in 0..<Self.attempts where !open.isEmpty {
      let changes = try await replacements(
        for: records.filter { open.contains($0.sample.uuid) }, &outgoing, client)
      let part = try await transactions(client).carry(changes)
      receipt += part
      open = Set(part.present + part.overtaken)
    }
    guard open.isEmpty else {
      throw ExternalStoreError(
        "somebody else changes at \(address.host) what is sent there: it is sent again later",
        outlook: .passing)
    }
    return (outgoing.impossible + receipt.faults, receipt.refusals)
  }

  // MARK: - What is there already

  /// What takes the place of what the server has: a sample that changed, and one that this gateway withdrew
  /// and has again. What another gateway withdrew, or somebody at the server, stays so.
  private func replacements(
    for records: [ExternalRecord], _ outgoing: inout OutgoingObservations, _ client: FHIRClient
  ) async throws -> [TransactionChange] {
    let search = ObservationSearch(client: client, condition: condition)
    let changed = records.filter(\.supersedes).map(\.sample.uuid)
    let others = records.filter { !$0.supersedes }.map(\.sample.uuid)
    let found = try await search.found(among: changed)
      .merging(try await search.found(among: others, status: Withdrawal.status)) { $0 + $1 }
    return try records.compactMap { record in
      let uuid = record.sample.uuid
      let there = found[uuid] ?? []
      guard isDue(record, there) else { return nil }
      return try outgoing.change(uuid) { entry($0, uuid, over: there) }
    }
  }

  private func isDue(_ record: ExternalRecord, _ there: [ObservationSearch.Found]) -> Bool {
    let withdrawals = there.compactMap(\.withdrawals)
    guard !withdrawals.isEmpty else { return record.supersedes }
    let names = withdrawals.reduce(into: Set()) { $0.formUnion($1) }
    return names == [Withdrawal.name(record.sample.uuid, gateway)]
  }

  /// Where the server says which version it has, that one is replaced and no other: another gateway may
  /// withdraw it meanwhile. What is there more than once the server refuses by the condition.
  private func entry(
    _ observation: FHIR.Observation, _ uuid: UUID, over there: [ObservationSearch.Found]
  ) -> TransactionEntry {
    guard let first = there.first else { return .create(observation, uuid, condition) }
    guard there.count == 1, let version = first.version else {
      return .update(observation, uuid, condition)
    }
    return .update(observation, over: version)
  }
}
