import Foundation
import HealthDataSync

/// Sends changes in transactions of limited size.
///
/// A server accepts or rejects a transaction as a whole. If it rejects one and names the entries at fault,
/// those are sent separately and the others together. If it does not name any, the transaction is halved
/// until the rejected entry is found. A FHIR `batch` would not need halving, but many servers support only
/// one of the two.
struct Transactions: Sendable {
  typealias Response = TransactionResponse.Entry.Response

  enum Outcome: Sendable {
    /// The server's response to each change, in the order of the changes.
    case taken([Response])
    case refused(status: Int, OperationOutcome?)
    case failed(status: Int, ExternalStoreError)
  }

  let client: FHIRClient
  let limits: FHIRStore.Limits
  /// The server errors of earlier attempts.
  var memory = ServerErrorHistory()

  /// Sends changes.
  ///
  /// - Throws: `ExternalStoreError`; `TransactionError`.
  func upload(_ changes: [TransactionChange]) async throws -> Receipt {
    let suspects = changes.filter { memory.suspects.contains($0.uuid) }
    let parts = parts(of: changes.filter { !memory.suspects.contains($0.uuid) })
    if memory.searchesFailingChange {
      var search = FailingChangeSearch(self)
      return try await search.upload(parts, suspects: suspects)
    }
    var receipt = Receipt()
    for part in parts + suspects.map({ [$0] }) { receipt += try await uploadOne(part) }
    return receipt
  }

  /// Splits changes into transactions, keeping their order. A change that is larger than the limit gets its
  /// own transaction.
  private func parts(of changes: [TransactionChange]) -> [[TransactionChange]] {
    var parts: [[TransactionChange]] = []
    var size = 0
    for change in changes {
      if let last = parts.last, last.count < limits.entries, size + change.json.count <= limits.bytes {
        parts[parts.count - 1].append(change)
        size += change.json.count
      } else {
        parts.append([change])
        size = change.json.count
      }
    }
    return parts
  }

  private func uploadOne(_ changes: [TransactionChange]) async throws -> Receipt {
    guard let first = changes.first else { return Receipt() }
    switch try await send(changes) {
    case .taken(let responses):
      let (receipt, serverFailures) = try receipt(of: changes, responses)
      if let serverFailure = serverFailures.first {
        throw TransactionError(at: first.uuid, serverFailure.error)
      }
      return receipt
    case .refused(let status, let outcome):
      guard changes.count > 1 else { return try await upload(first, refused: status, outcome) }
      var receipt = Receipt()
      for group in Self.apart(changes, outcome) { receipt += try await uploadOne(group) }
      return receipt
    case .failed(_, let error):
      throw TransactionError(at: first.uuid, error)
    }
  }

  /// Handles a change that the server rejected when it was sent alone.
  func upload(
    _ change: TransactionChange, refused status: Int, _ outcome: OperationOutcome?
  ) async throws -> Receipt {
    // 409 means a conflict with a concurrent change, which is complete by now, so retry once.
    guard status == 409, !change.isOfVersion else { return Self.refused(change, status, outcome) }
    switch try await send([change]) {
    case .taken(let responses): return try receipt(of: [change], responses).receipt
    case .refused(let status, let outcome): return Self.refused(change, status, outcome)
    case .failed(_, let error): throw TransactionError(at: change.uuid, error)
    }
  }

  /// Splits a rejected transaction into smaller ones.
  static func apart(
    _ changes: [TransactionChange], _ outcome: OperationOutcome?
  ) -> [[TransactionChange]] {
    let named = (outcome?.entries ?? []).filter { $0 < changes.count }
    if named.isEmpty || named.count == changes.count {
      let middle = changes.count / 2
      return [Array(changes[..<middle]), Array(changes[middle...])]
    }
    let others = changes.indices.filter { !named.contains($0) }
    return [others.map { changes[$0] }] + named.sorted().map { [changes[$0]] }
  }

  /// Checks that the server and its database respond to a search.
  ///
  /// - Throws: `ExternalStoreError` if they do not.
  func probe(_ uuid: UUID) async throws {
    let response = try await client.get(ObservationCondition(subject: nil).path([uuid], count: 1))
    switch try ServerVerdict(response, from: client.address) {
    case .taken, .refused: return
    case .failed(_, let error): throw error
    }
  }

  /// Sends one transaction.
  func send(_ changes: [TransactionChange]) async throws -> Outcome {
    try Task.checkCancellation()
    let response = try await client.post(Self.bundle(changes))
    switch try ServerVerdict(response, from: client.address) {
    case .refused(let status, let outcome):
      return .refused(status: status, outcome)
    case .failed(let status, let error):
      return .failed(status: status, error)
    case .taken:
      let bundle = try? JSONDecoder().decode(TransactionResponse.self, from: response.body)
      let responses = (bundle?.entry ?? []).compactMap(\.response)
      guard bundle?.resourceType == "Bundle", responses.count == changes.count,
        responses.allSatisfy({ $0.code != nil })
      else {
        throw ExternalStoreError(
          "\(client.address.host) does not return a result for each change: check whether there is a proxy "
            + "in front of the FHIR server", outlook: .lasting)
      }
      return .taken(responses)
    }
  }

  static func bundle(_ changes: [TransactionChange]) -> Data {
    var json = Data(#"{"resourceType":"Bundle","type":"transaction","entry":["#.utf8)
    for (index, change) in changes.enumerated() {
      if index > 0 { json.append(UInt8(ascii: ",")) }
      json += change.json
    }
    json += Data("]}".utf8)
    return json
  }

  /// Returns the result of each change in an accepted transaction. Some servers accept a transaction but
  /// reject individual entries.
  func receipt(
    of changes: [TransactionChange], _ responses: [Response]
  ) throws -> (receipt: Receipt, serverFailures: [FailingChange]) {
    var receipt = Receipt()
    var serverFailures: [FailingChange] = []
    for (change, response) in zip(changes, responses) {
      switch try ServerVerdict(response, from: client.address) {
      case .taken where change.isMarker: break
      case .taken where change.isUpdate || response.code == 201: receipt.written += 1
      case .taken: receipt.present.append(change.uuid)
      case .refused(let status, let outcome):
        receipt += Self.refused(change, status, outcome)
      case .failed(let status, let error):
        serverFailures.append(FailingChange(uuid: change.uuid, status: status, error: error))
      }
    }
    return (receipt, serverFailures)
  }

  private static func refused(
    _ change: TransactionChange, _ status: Int, _ outcome: OperationOutcome?
  ) -> Receipt {
    // The version has been replaced. HTTP specifies 412 for this, but some servers respond with 409.
    if change.isOfVersion, status == 412 || status == 409 { return Receipt(overtaken: [change.uuid]) }
    let why =
      outcome?.summary
      ?? (status == 412
        ? "several Observations have this identifier"
        : status == 413 ? "the sample is too large" : "it does not say why")
    let rejection = RejectedChange(
      uuid: change.uuid, reason: "the FHIR server rejects the change of this sample (\(status)): \(why)")
    return Receipt(rejections: [rejection])
  }
}

/// The results of sending changes.
struct Receipt: Sendable {
  /// Changes that the server refused.
  var rejections: [RejectedChange] = []
  /// Changes that made the server fail.
  var serverFailures: [RejectedChange] = []
  /// Samples that were to be created but already exist on the server.
  var present: [UUID] = []
  /// Samples for which the server has a different version than expected.
  var overtaken: [UUID] = []
  /// The number of changes that the server wrote.
  var written = 0

  static func += (receipt: inout Receipt, more: Receipt) {
    receipt.rejections += more.rejections
    receipt.serverFailures += more.serverFailures
    receipt.present += more.present
    receipt.overtaken += more.overtaken
    receipt.written += more.written
  }
}
