import Foundation
import HealthDataSync
import HealthKit

/// The Observations of a page, on their way, and what cannot be one.
struct OutgoingObservations {
  private var observations: [UUID: FHIR.Observation] = [:]
  private(set) var impossible: [Refusal] = []

  /// - Parameter device: how to refer to what measured.
  init(
    of records: [ExternalRecord], _ mapping: ObservationMapping, device: (HKDevice) -> FHIR.Reference?
  ) {
    for record in records {
      do {
        observations[record.sample.uuid] = try mapping.observation(of: record, device: device)
      } catch {
        impossible.append(Refusal(uuid: record.sample.uuid, reason: error.reason))
      }
    }
  }

  /// - Returns: nil for what cannot be sent.
  mutating func change(
    _ uuid: UUID, _ entry: (FHIR.Observation) -> TransactionEntry
  ) throws -> TransactionChange? {
    guard let observation = observations[uuid] else { return nil }
    do {
      return try TransactionChange(uuid, entry(observation))
    } catch is EncodingError {
      observations[uuid] = nil
      impossible.append(Refusal(uuid: uuid, reason: "it holds a number that JSON cannot write"))
      return nil
    }
  }
}
