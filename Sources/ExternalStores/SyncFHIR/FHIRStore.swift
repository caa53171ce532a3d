import Foundation
public import HealthDataSync
public import HealthKit

/// An external store that sends samples to a FHIR R4 server. Samples become Observations, and their devices
/// become Devices.
public actor FHIRStore: ExternalStore {
  let address: FHIRAddress
  let mapping: ObservationMapping
  let condition: ObservationCondition
  /// The unique key of this gateway.
  let gateway: String
  let token: String?
  let limits: Limits
  private var client: FHIRClient?
  /// The server errors since a page of changes was last sent successfully. They are kept when the store is
  /// reopened.
  var memory = ServerErrorHistory()
  /// The Devices that were found or created on the server since `open`, by identifier.
  var devices: [String: KnownDevice] = [:]

  /// The maximum size of one request.
  package struct Limits: Sendable {
    package var entries = 100
    package var bytes = 1 << 20
    package var timeout: Duration = .seconds(60)

    package init() {}
  }

  /// Creates a store.
  ///
  /// - Parameter secret: The bearer token for the server (`Authorization: Bearer`).
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

  /// Connects, and checks the server and the subject.
  /// - Throws: `ExternalStoreError`; `CancellationError`.
  public func open() async throws { _ = try await open(expecting: nil) }

  /// Connects, checks the server and the subject, and finds or creates the ``MarkerDevice``, which contains
  /// the number of the last page of changes.
  ///
  /// - Returns: That page number; `nil` without a marker, or if the server does not accept the Device.
  /// - Throws: `ExternalStoreError`: `lostData` if the Device is expected and missing; `CancellationError`.
  public func open(expecting marker: DestinationMarker?) async throws -> Int64? {
    await close()
    if let token, !token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) || token.isEmpty {
      throw ExternalStoreError(
        "the secret is not a token: its file must contain one line without spaces",
        outlook: .lasting)
    }
    let client = try FHIRClient(address, token: token, timeout: limits.timeout)
    self.client = client
    try await checkServer(client)
    try await checkSubject(client)
    guard let marker else { return nil }
    return try await sequence(of: marker, client)
  }

  /// Returns the number of the last page of changes that the server has received, from its ``MarkerDevice``.
  ///
  /// - Returns: `nil` if the server does not accept such a Device.
  private func sequence(of marker: DestinationMarker, _ client: FHIRClient) async throws -> Int64? {
    let device = MarkerDevice(id: marker.id)
    switch (try await device.find(client), marker.sequence) {
    case (.page(let sequence), _): return sequence
    case (.nothing, .some):
      throw ExternalStoreError.lostData(
        "\(address.host) does not have the Device that marks the sent samples")
    // The token does not allow searches, so data loss cannot be detected. Assume that nothing was lost.
    case (.unknown, .some(let sequence)): return sequence
    case (.nothing, nil), (.unknown, nil): return try await device.make(client) ? 0 : nil
    }
  }

  public nonisolated func reasonToReject(_ type: HKSampleType) -> String? {
    ObservationMapping.reasonToReject(type)
  }

  public func close() async {
    let closing = client
    client = nil
    devices = [:]
    await closing?.close()
  }

  /// Sends a page of changes in transactions: deletions first, then Devices, then Observations.
  /// - Returns: The records that the server rejected.
  /// - Throws: `ExternalStoreError` if the result is unknown, so that the page must be sent again;
  ///   `CancellationError`.
  public func upload(_ page: ChangePage) async throws -> [RejectedChange] {
    guard let client else {
      throw ExternalStoreError.closed(address.host)
    }
    do {
      let rejections = try await upload(page, client)
      memory = ServerErrorHistory()
      return rejections
    } catch let failure as TransactionError {
      memory.note(failure)
      throw failure.error
    }
  }

  private func upload(_ page: ChangePage, _ client: FHIRClient) async throws -> [RejectedChange] {
    var seen: Set<UUID> = []
    let gone = Set(page.deleted.map(\.uuid))
    // If the page both deletes and adds a sample, the server may have the sample with different content. So
    // set `supersedes`, which makes the Observation replace an existing one.
    let all = page.added.filter { seen.insert($0.sample.uuid).inserted }.map { record in
      gone.contains(record.sample.uuid)
        ? ExternalRecord(
          sample: record.sample, series: record.series, supersedes: true,
          isInBloodPressure: record.isInBloodPressure) : record
    }
    // The two values of a blood pressure are sent as parts of its Observation, not separately.
    let records = all.filter { !$0.isInBloodPressure }
    var deleted = page.deleted.map(\.uuid).filter { seen.insert($0).inserted }
    if page.type.isInBloodPressures {
      let earlier = all.filter { $0.isInBloodPressure && $0.supersedes }.map(\.sample.uuid)
      deleted = try await standing(among: deleted + earlier, client)
    }
    let marking = try page.marker.map { try MarkerDevice(id: $0.id).change($0.sequence ?? 0) }
    let deletions = try deleted.map { uuid in
      let withdrawn = Withdrawal.observation(uuid, of: page.type, subject: mapping.subject, by: gateway)
      return try TransactionChange(uuid, .update(withdrawn, uuid, condition))
    }
    let receipt = try await transactions(client).upload(
      deletions + (deletions.isEmpty ? [] : [marking].compactMap(\.self)))
    let (impossible, refused) = try await add(records, with: deletions.isEmpty ? marking : nil, client)
    let isMarked = !(receipt.rejections + receipt.serverFailures + impossible + refused).contains {
      $0.uuid == page.marker?.id
    }
    guard isMarked else {
      throw ExternalStoreError(
        "\(address.host) rejects the Device that marks the sent samples: ask its administrator to allow writing "
          + "Device", outlook: .lasting)
    }
    let rejections = receipt.rejections + receipt.serverFailures + impossible
    guard !refused.isEmpty else { return rejections }
    // The server may have rejected samples because the subject or a Device was deleted in the meantime. So
    // check the subject, create the Devices again, and retry.
    try await checkSubject(client)
    let uuids = Set(refused.map(\.uuid))
    let again = records.filter {
      uuids.contains($0.sample.uuid) && $0.sample.device.flatMap(reference(to:)) != nil
    }
    guard !again.isEmpty else { return rejections + refused }
    devices = [:]
    let second = try await add(again, with: nil, client)
    let tried = Set(again.map(\.sample.uuid))
    return rejections + refused.filter { !tried.contains($0.uuid) } + second.impossible + second.refused
  }

  /// Returns those of the samples that exist on the server and are not marked as deleted.
  private func standing(among uuids: [UUID], _ client: FHIRClient) async throws -> [UUID] {
    let found = try await ObservationSearch(client: client, condition: condition).found(among: uuids)
    return uuids.filter { uuid in found[uuid, default: []].contains { $0.withdrawals == nil } }
  }
}

extension HKSampleType {
  /// Whether samples of this type can be the systolic or diastolic value of a blood pressure.
  fileprivate var isInBloodPressures: Bool {
    [HKQuantityTypeIdentifier.bloodPressureSystolic, .bloodPressureDiastolic].map(\.rawValue)
      .contains(identifier)
  }
}
