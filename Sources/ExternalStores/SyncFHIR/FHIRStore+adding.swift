import Foundation
import HealthDataSync
import HealthKit

extension FHIRStore {
  func transactions(_ client: FHIRClient) -> Transactions {
    Transactions(client: client, limits: limits, memory: memory)
  }

  /// Maximum number of times to look up samples on the server in order to replace them. Another gateway may
  /// change the same samples between a lookup and the write.
  private static let attempts = 3

  /// Sends the records of a page of changes as Observations.
  ///
  /// - Parameter marking: The change that writes the page number to the ``MarkerDevice``. It is sent together
  ///   with the new samples.
  /// - Returns: The samples that FHIR cannot express, and the samples that make the server fail or that it
  ///   rejects.
  func add(
    _ records: [ExternalRecord], with marking: TransactionChange?, _ client: FHIRClient
  ) async throws -> (impossible: [RejectedChange], refused: [RejectedChange]) {
    try await settleDevices(of: records, client)
    var outgoing = OutgoingObservations(of: records, mapping) { self.reference(to: $0) }
    let new = records.filter { !$0.supersedes }.map(\.sample.uuid)
    var receipt = try await transactions(client).upload(
      new.compactMap { uuid in try outgoing.change(uuid) { .create($0, uuid, condition) } }
        + [marking].compactMap(\.self))
    // Look up samples that exist, or may exist, on the server in some version before writing them.
    var open = Set(records.filter(\.supersedes).map(\.sample.uuid)).union(receipt.present)
    for _ in 0..<Self.attempts where !open.isEmpty {
      let changes = try await replacements(
        for: records.filter { open.contains($0.sample.uuid) }, &outgoing, client)
      let part = try await transactions(client).upload(changes)
      receipt += part
      open = Set(part.present + part.overtaken)
    }
    guard open.isEmpty else {
      throw ExternalStoreError(
        "another client changes the same resources at \(address.host): hrgate tries again",
        outlook: .passing)
    }
    return (outgoing.impossible + receipt.serverFailures, receipt.rejections)
  }

  // MARK: - Existing Observations

  /// Returns the changes that replace existing Observations.
  ///
  /// An Observation is replaced if the sample changed, or if this gateway deleted the sample and now has it
  /// again. If another gateway or a user of the server marked it as deleted, it remains deleted.
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

  /// Returns the transaction entry that writes an Observation.
  ///
  /// If the server reported its current version, the entry replaces only that version, because another
  /// gateway may change it in between. If the server has several Observations for the sample, it rejects the
  /// entry.
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

/// The Observations for a page of changes, and the samples that cannot be expressed as Observations.
struct OutgoingObservations {
  private var observations: [UUID: FHIR.Observation] = [:]
  private(set) var impossible: [RejectedChange] = []

  /// Converts records to Observations.
  ///
  /// - Parameter device: Returns the reference to a device.
  init(
    of records: [ExternalRecord], _ mapping: ObservationMapping, device: (HKDevice) -> FHIR.Reference?
  ) {
    for record in records {
      do {
        observations[record.sample.uuid] = try mapping.observation(of: record, device: device)
      } catch {
        impossible.append(RejectedChange(uuid: record.sample.uuid, reason: error.reason))
      }
    }
  }

  /// Returns the transaction change for a sample.
  ///
  /// - Returns: `nil` if the sample cannot be sent.
  mutating func change(
    _ uuid: UUID, _ entry: (FHIR.Observation) -> TransactionEntry
  ) throws -> TransactionChange? {
    guard let observation = observations[uuid] else { return nil }
    do {
      return try TransactionChange(uuid, entry(observation))
    } catch is EncodingError {
      observations[uuid] = nil
      impossible.append(
        RejectedChange(uuid: uuid, reason: "the sample contains a number that JSON cannot represent"))
      return nil
    }
  }
}
