import Foundation
public import HealthDataSync
import HealthKit

/// A FHIR R4 server as an external store: samples become Observations, what measured them Devices.
public actor FHIRStore: ExternalStore {
  let address: FHIRAddress
  let mapping: ObservationMapping
  let condition: ObservationCondition
  /// What tells it from all others.
  let gateway: String
  let token: String?
  let limits: Limits
  private var client: FHIRClient?
  /// Of failures in a row, over as many openings.
  var memory = FaultMemory()
  /// What the server holds of each device, by the value of its identifier, since `open`.
  var devices: [String: KnownDevice] = [:]

  /// Of one request.
  package struct Limits: Sendable {
    package var entries = 100
    package var bytes = 1 << 20
    package var timeout: Duration = .seconds(60)

    package init() {}
  }

  /// - Parameter secret: the token that the server wants (`Authorization: Bearer`).
  public init(_ address: FHIRAddress, secret: String?, identity: ExternalIdentity) {
    self.init(address, secret: secret, identity: identity, limits: Limits())
  }

  package init(_ address: FHIRAddress, secret: String?, identity: ExternalIdentity, limits: Limits) {
    self.address = address
    condition = ObservationCondition(subject: address.subject)
    gateway = identity.gatewayKey
    token = secret
    self.limits = limits
    let person = identity.person.fhirString ?? "unknown"
    mapping = ObservationMapping(
      subject: address.subject.map { FHIR.Reference(reference: $0) }
        ?? FHIR.Reference(type: "Patient", identifier: FHIR.Identifier(value: person), display: person),
      performer: address.performer.map { FHIR.Reference(reference: $0) })
  }

  deinit { client?.abandon() }

  public func open() async throws {
    await close()
    if let token, !token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) || token.isEmpty {
      throw ExternalStoreError(
        "the secret is no token: put one line of letters, digits and signs into its file, without spaces",
        outlook: .lasting)
    }
    let client = try FHIRClient(address, token: token, timeout: limits.timeout)
    self.client = client
    try await checkServer(client)
    try await checkSubject(client)
  }

  public func close() async {
    let closing = client
    client = nil
    devices = [:]
    await closing?.close()
  }

  public func carry(_ page: ChangePage) async throws -> [Refusal] {
    guard let client else {
      throw ExternalStoreError.closed(address.host)
    }
    do {
      let refusals = try await carry(page, client)
      memory = FaultMemory()
      return refusals
    } catch let failure as TransactionFailure {
      memory.note(failure)
      throw failure.error
    }
  }

  private func carry(_ page: ChangePage, _ client: FHIRClient) async throws -> [Refusal] {
    var seen: Set<UUID> = []
    let gone = Set(page.deleted.map(\.uuid))
    // What is deleted and added is there, and may be another than it was.
    let records = page.added.filter { seen.insert($0.sample.uuid).inserted }.map { record in
      gone.contains(record.sample.uuid)
        ? ExternalRecord(sample: record.sample, series: record.series, supersedes: true) : record
    }
    let deleted = page.deleted.map(\.uuid).filter { seen.insert($0).inserted }
    let receipt = try await transactions(client).carry(
      deleted.map { uuid in
        let withdrawn = Withdrawal.observation(uuid, of: page.type, subject: mapping.subject, by: gateway)
        return try TransactionChange(uuid, .update(withdrawn, uuid, condition))
      })
    let (impossible, refused) = try await add(records, client)
    let refusals = receipt.refusals + receipt.faults + impossible
    guard !refused.isEmpty else { return refusals }
    // It may be the fault of what they refer to, and that the server had when it was opened.
    try await checkSubject(client)
    let uuids = Set(refused.map(\.uuid))
    let again = records.filter {
      uuids.contains($0.sample.uuid) && $0.sample.device.flatMap(reference(to:)) != nil
    }
    guard !again.isEmpty else { return refusals + refused }
    devices = [:]
    let second = try await add(again, client)
    let tried = Set(again.map(\.sample.uuid))
    return refusals + refused.filter { !tried.contains($0.uuid) } + second.impossible + second.refused
  }
}
