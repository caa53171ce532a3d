import Foundation
import HealthDataSync

/// What a server's status (RFC 9110, 15) means for what was sent: of a whole answer, or of one entry of it.
enum ServerVerdict: Sendable {
  case taken
  /// What was sent is not as the server wants it.
  case refused(status: Int, OperationOutcome?)
  /// The server failed; that may be its own fault, or come of what was sent.
  case failed(status: Int, ExternalStoreError)

  /// - Throws: `ExternalStoreError`, where the status says nothing about what was sent.
  init(_ answer: HTTPAnswer, from address: FHIRAddress) throws(ExternalStoreError) {
    let outcome = try? JSONDecoder().decode(OperationOutcome.self, from: answer.body)
    try self.init(answer.status, outcome, ExternalStoreError(answer, from: address.host))
  }

  /// Of an entry of a transaction that was taken: servers differ.
  init(
    _ response: TransactionAnswer.Entry.Response, from address: FHIRAddress
  ) throws(ExternalStoreError) {
    let answer = HTTPAnswer(status: response.code ?? 0, body: Data())
    try self.init(answer.status, response.outcome, ExternalStoreError(answer, from: address.host))
  }

  private init(
    _ status: Int, _ outcome: OperationOutcome?, _ error: ExternalStoreError
  ) throws(ExternalStoreError) {
    switch status {
    case 200..<300:
      self = .taken
    // A proxy has its 400 as well. Only who read the entry says what is wrong with it.
    case 400 where outcome?.isAboutContent == true, 409, 412, 413, 422:
      self = .refused(status: status, outcome)
    // Other faults are of the machine alone. Who names the time to wait knows that it is overloaded.
    case _ where [500, 502, 504].contains(status) && error.outlook == .passing:
      self = .failed(status: status, error)
    default:
      throw error
    }
  }
}
