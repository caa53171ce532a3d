import Foundation
import HealthDataSync

/// A change with which a server failed when it came alone.
struct Fault: Sendable {
  let uuid: UUID
  let status: Int
  let error: ExternalStoreError

  var refusal: Refusal {
    Refusal(uuid: uuid, reason: "the FHIR server fails with it again and again (\(status))")
  }
}

/// The server failed with a transaction, which comes again.
struct TransactionFailure: Error {
  /// The first change of the transaction: by it the transaction is known when it comes again.
  let uuid: UUID
  /// Changes with which the server failed when they came alone.
  let suspects: [UUID]
  let error: ExternalStoreError

  init(at uuid: UUID, _ error: ExternalStoreError, suspects: [UUID] = []) {
    self.uuid = uuid
    self.suspects = suspects
    self.error = error
  }
}
