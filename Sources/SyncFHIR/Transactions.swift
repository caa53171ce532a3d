import Foundation
import HealthDataSync

/// One entry of a transaction, ready to be sent.
struct TransactionChange: Sendable {
  let uuid: UUID
  let json: Data

  init(_ uuid: UUID, _ entry: TransactionEntry) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    self.uuid = uuid
    json = try encoder.encode(entry)
  }
}

/// Carries changes over in transactions of bounded size.
///
/// A server takes a transaction whole or not at all. Of one that it refuses, the entries that it names go by
/// themselves and the others together; where it names none, the transaction is halved, down to the single
/// entry whose fault it is. `batch` would spare the halving, but many servers that take one do not take the
/// other, and a page comes again all the same.
struct Transactions: Sendable {
  typealias Response = TransactionAnswer.Entry.Response

  enum Outcome: Sendable {
    /// With what the server says of each change, in their order.
    case taken([Response])
    case refused(status: Int, OperationOutcome?)
  }

  private let client: FHIRClient
  private let limits: FHIRStore.Limits

  init(_ client: FHIRClient, _ limits: FHIRStore.Limits) {
    self.client = client
    self.limits = limits
  }

  /// - Returns: what the server refuses.
  func carry(_ changes: [TransactionChange]) async throws -> [Refusal] {
    var refusals: [Refusal] = []
    for part in parts(of: changes) {
      refusals += try await carryOne(part)
    }
    return refusals
  }

  /// In their order; a change that is too large for all others goes alone.
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

  private func carryOne(_ changes: [TransactionChange]) async throws -> [Refusal] {
    try Task.checkCancellation()
    switch try await send(changes) {
    case .taken(let responses):
      return try refusals(among: zip(changes, responses))
    case .refused(status: 409, _) where changes.count == 1:
      // Somebody changed the same at the same time, and is done by now.
      guard case .refused(let status, let outcome) = try await send(changes) else { return [] }
      return [refusal(of: changes[0], status, outcome)]
    case .refused(let status, let outcome) where changes.count == 1:
      return [refusal(of: changes[0], status, outcome)]
    case .refused(_, let outcome):
      return try await carryApart(changes, outcome)
    }
  }

  private func carryApart(
    _ changes: [TransactionChange], _ outcome: OperationOutcome?
  ) async throws -> [Refusal] {
    let named = (outcome?.entries ?? []).filter { $0 < changes.count }
    var refusals: [Refusal] = []
    if named.isEmpty || named.count == changes.count {
      let middle = changes.count / 2
      for half in [changes[..<middle], changes[middle...]] { refusals += try await carryOne(Array(half)) }
    } else {
      let others = changes.indices.filter { !named.contains($0) }
      refusals += try await carryOne(others.map { changes[$0] })
      for index in named.sorted() { refusals += try await carryOne([changes[index]]) }
    }
    return refusals
  }

  /// One transaction.
  func send(_ changes: [TransactionChange]) async throws -> Outcome {
    let answer = try await client.post(Self.bundle(changes))
    switch try ServerVerdict(answer, from: client.address) {
    case .refused(let status, let outcome):
      return .refused(status: status, outcome)
    case .taken(let body):
      let bundle = try? JSONDecoder().decode(TransactionAnswer.self, from: body)
      let responses = (bundle?.entry ?? []).compactMap(\.response)
      guard bundle?.resourceType == "Bundle", responses.count == changes.count,
        responses.allSatisfy({ $0.code != nil })
      else {
        throw ExternalStoreError(
          "\(client.address.host) does not say what became of each change: is something else in front of "
            + "the FHIR server?", outlook: .lasting)
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

  /// Servers differ: some take a transaction and refuse single entries of it.
  private func refusals(
    among answered: some Sequence<(TransactionChange, Response)>
  ) throws -> [Refusal] {
    try answered.compactMap { change, response in
      switch response.code ?? 0 {
      case 200..<300, 404, 410: return nil  // not there, for a deletion
      case 400..<500 where response.code != 429:
        return refusal(of: change, response.code ?? 0, response.outcome)
      default:
        throw ExternalStoreError(
          "\(client.address.host) has a fault of its own or is overloaded (it answered "
            + "\(response.code ?? 0)).", outlook: .passing)
      }
    }
  }

  private func refusal(of change: TransactionChange, _ status: Int, _ outcome: OperationOutcome?) -> Refusal {
    let why =
      outcome?.summary
      ?? (status == 412
        ? "it has more than one with this identifier" : status == 413 ? "too large" : "it does not say why")
    return Refusal(
      uuid: change.uuid, reason: "The FHIR server refuses it (\(status)): \(why).")
  }
}
