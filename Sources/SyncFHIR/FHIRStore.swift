import Foundation
public import HealthDataSync
import HealthKit

/// A FHIR R4 server as an external store: samples become Observations, what measured them Devices.
public actor FHIRStore: ExternalStore {
  let address: FHIRAddress
  let mapping: ObservationMapping
  private let token: String?
  private let limits: Limits
  private var client: FHIRClient?
  /// What the server holds of each device, by the value of its identifier, since `open`.
  private var devices: [String: KnownDevice] = [:]

  /// Of one request.
  package struct Limits: Sendable {
    package var entries = 100
    package var bytes = 1 << 20
    package var timeout: Duration = .seconds(60)

    package init() {}
  }

  struct KnownDevice {
    let device: HKDevice
    /// Nil if the server does not take it.
    let reference: FHIR.Reference?
  }

  /// - Parameter secret: the token that the server wants (`Authorization: Bearer`).
  public init(_ address: FHIRAddress, secret: String?, identity: ExternalIdentity) {
    self.init(address, secret: secret, identity: identity, limits: Limits())
  }

  package init(_ address: FHIRAddress, secret: String?, identity: ExternalIdentity, limits: Limits) {
    self.address = address
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
        "The secret is no token: it is one line of letters, digits and signs, without spaces.",
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
      throw ExternalStoreError("The connection to \(address.host) is closed.", outlook: .passing)
    }
    var refusals = try await Transactions(client, limits).carry(
      page.deleted.map { try TransactionChange($0.uuid, .delete(FHIR.Identifier($0.uuid))) })
    var seen: Set<UUID> = []
    let records = page.added.filter { seen.insert($0.sample.uuid).inserted }
    let (inexpressible, refused) = try await create(records, client)
    refusals += inexpressible
    guard !refused.isEmpty else { return refusals }
    // It may be the fault of what they refer to, and that the server had when it was opened.
    try await checkSubject(client)
    let uuids = Set(refused.map(\.uuid))
    let again = records.filter {
      uuids.contains($0.sample.uuid) && $0.sample.device.flatMap(reference(to:)) != nil
    }
    guard !again.isEmpty else { return refusals + refused }
    devices = [:]
    let second = try await create(again, client).refused
    let tried = Set(again.map(\.sample.uuid))
    return refusals + refused.filter { !tried.contains($0.uuid) } + second
  }

  /// - Returns: what FHIR has no words for, and what the server refuses.
  private func create(
    _ records: [ExternalRecord], _ client: FHIRClient
  ) async throws -> (inexpressible: [Refusal], refused: [Refusal]) {
    try await settleDevices(of: records, client)
    var inexpressible: [Refusal] = []
    var changes: [TransactionChange] = []
    for record in records {
      let uuid = record.sample.uuid
      do {
        let observation = try mapping.observation(of: record) { self.reference(to: $0) }
        changes.append(try TransactionChange(uuid, .create(observation, FHIR.Identifier(uuid))))
      } catch let error as ObservationMapping.Inexpressible {
        inexpressible.append(Refusal(uuid: uuid, reason: error.reason))
      } catch is EncodingError {
        inexpressible.append(Refusal(uuid: uuid, reason: "It holds a number that JSON cannot write."))
      }
    }
    return (inexpressible, try await Transactions(client, limits).carry(changes))
  }

  // MARK: - Devices

  private func reference(to device: HKDevice) -> FHIR.Reference? {
    device.bluetoothIdentifier.flatMap { devices[$0.value]?.reference }
  }

  /// Sees to it that the server has each device as the samples know it. Whoever reads an observation then
  /// finds it by a reference, which holds in every kind of bundle.
  private func settleDevices(of records: [ExternalRecord], _ client: FHIRClient) async throws {
    for device in records.compactMap(\.sample.device) {
      guard let identifier = device.bluetoothIdentifier, devices[identifier.value]?.device != device else {
        continue
      }
      let change = try TransactionChange(UUID(), .update(FHIR.Device(device), identifier))
      let reference: FHIR.Reference?
      switch try await Transactions(client, limits).send([change]) {
      case .taken(let responses):
        let id = responses.first?.location?.firstMatch(of: #/(?:^|\/)(Device\/[A-Za-z0-9.\-]{1,64})(?:\/|$)/#)
        // Without a place to refer to, by what identifies it.
        reference = FHIR.Reference(
          reference: id.map { String($0.1) }, type: "Device", identifier: id == nil ? identifier : nil,
          display: device.name?.fhirString)
      case .refused:
        reference = nil
      }
      devices[identifier.value] = KnownDevice(device: device, reference: reference)
    }
  }

  // MARK: - The server

  /// Whether there is a FHIR server of the right version, and whether it says that it lacks what is needed.
  private func checkServer(_ client: FHIRClient) async throws {
    let answer = try await client.get("/metadata")
    guard case .taken(let body) = try ServerVerdict(answer, from: address),
      let server = try? JSONDecoder().decode(CapabilityStatement.self, from: body),
      server.resourceType == "CapabilityStatement"
    else {
      throw ExternalStoreError(
        "\(address.host) is no FHIR server at this address: check the base of the URL.", outlook: .lasting)
    }
    if let version = server.fhirVersion, !version.hasPrefix("4.") {
      throw ExternalStoreError(
        "\(address.host) speaks another FHIR than R4, which is sent: use its R4 address.", outlook: .lasting)
    }
    let lacks =
      server.observation?.conditionalCreate == false
      ? "conditional create"
      : server.observation?.conditionalDelete == "not-supported" ? "conditional delete" : nil
    if let lacks {
      throw ExternalStoreError(
        "\(address.host) says it has no \(lacks) for Observation: have its administrator switch it on.",
        outlook: .lasting)
    }
  }

  /// Without its subject every sample would be refused. A token that may only write cannot look.
  private func checkSubject(_ client: FHIRClient) async throws {
    guard let subject = address.subject, !subject.contains("://") else { return }
    let answer = try await client.get("/" + subject)
    switch answer.status {
    case 404, 410:
      throw ExternalStoreError(
        "\(address.host) has no \(subject): make it there, or name another with ?subject=.",
        outlook: .lasting)
    case 403: return
    default: _ = try ServerVerdict(answer, from: address)
    }
  }
}
