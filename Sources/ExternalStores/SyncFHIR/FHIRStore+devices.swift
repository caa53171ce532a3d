import Foundation
import HealthDataSync
import HealthKit

/// Keeps the Device resources on the server up to date.
///
/// Several gateways may use one strap and describe it differently. Only the gateway that created the Device
/// updates it; an identifier in the Device names that gateway. Other gateways only refer to it, so that the
/// Device does not change back and forth. If a gateway's samples describe a device differently, the latest
/// sample wins.
extension FHIRStore {
  struct KnownDevice {
    let device: HKDevice
    /// The start date of the sample from which the device's description was taken.
    let time: Date
    /// The reference to the Device, or `nil` if the server does not accept it.
    let reference: FHIR.Reference?
  }

  func reference(to device: HKDevice) -> FHIR.Reference? {
    device.bluetoothIdentifier.flatMap { devices[$0.value]?.reference }
  }

  /// Ensures that the server has a Device for each device in the records, so that the Observations can refer
  /// to it in any transaction.
  func settleDevices(of records: [ExternalRecord], _ client: FHIRClient) async throws {
    for (identifier, sample, device) in Self.latest(in: records.map(\.sample)) {
      let known = devices[identifier.value]
      if let known, known.device == device || known.time > sample.startDate { continue }
      let reference: FHIR.Reference?
      do {
        reference = try await settle(device, identifier, for: sample.uuid, client)
      } catch let failure as TransactionError {
        guard memory.searchesFailingChange else { throw failure }
        reference = nil
      }
      devices[identifier.value] = KnownDevice(device: device, time: sample.startDate, reference: reference)
    }
  }

  private typealias LatestDevice = (identifier: FHIR.Identifier, sample: HKSample, device: HKDevice)

  /// Returns the sample with the latest start date for each device. The devices are in the order of their
  /// first samples.
  private static func latest(in samples: [HKSample]) -> [LatestDevice] {
    var places: [String: Int] = [:]
    var all: [LatestDevice] = []
    for sample in samples {
      guard let device = sample.device, let identifier = device.bluetoothIdentifier else { continue }
      guard let place = places[identifier.value] else {
        places[identifier.value] = all.count
        all.append((identifier, sample, device))
        continue
      }
      if sample.startDate >= all[place].sample.startDate { all[place] = (identifier, sample, device) }
    }
    return all
  }

  /// Creates or updates a Device.
  ///
  /// - Parameter uuid: The sample that refers to the Device.
  /// - Returns: The reference to the Device, or `nil` if the server does not accept the Device.
  /// - Throws: `ExternalStoreError`; `TransactionError`.
  private func settle(
    _ device: HKDevice, _ identifier: FHIR.Identifier, for uuid: UUID, _ client: FHIRClient
  ) async throws -> FHIR.Reference? {
    let name = DeviceOwnership.identifier(of: identifier, owner: gateway)
    var words = FHIR.Device(device)
    words.identifier = [identifier, name]
    let creation = try TransactionChange(uuid, .create(words, identifier))
    switch try await transactions(client).send([creation]) {
    case .taken(let responses):
      guard let response = responses.first, let code = response.code, (200..<300).contains(code) else {
        return nil
      }
      if code != 201 { try await update(words, name, for: uuid, client) }
      return Self.reference(to: response.location, identifier, device)
    case .refused: return nil
    case .failed(_, let error): throw TransactionError(at: uuid, error)
    }
  }

  /// Updates a Device, if this gateway owns it.
  private func update(
    _ words: FHIR.Device, _ name: FHIR.Identifier, for uuid: UUID, _ client: FHIRClient
  ) async throws {
    guard let found = try await DeviceOwnership.found(name, client) else { return }
    // If the server reports no version, update the Device that has this gateway's identifier.
    let entry: TransactionEntry =
      if let version = ResourceVersion(found) { .update(words, over: version) } else { .update(words, name) }
    // If the server rejects the update, the earlier version remains and samples can refer to it.
    if case .failed(_, let error) = try await transactions(client).send([TransactionChange(uuid, entry)]) {
      throw TransactionError(at: uuid, error)
    }
  }

  /// Returns the reference to a Device.
  ///
  /// - Parameter location: The location in the server's response. If it is missing, the reference uses the
  ///   Device's identifier.
  private static func reference(
    to location: String?, _ identifier: FHIR.Identifier, _ device: HKDevice
  ) -> FHIR.Reference {
    let id = location?.firstMatch(of: #/(?:^|\/)(Device\/[A-Za-z0-9.\-]{1,64})(?:\/|$)/#)
    return FHIR.Reference(
      reference: id.map { String($0.1) }, type: "Device", identifier: id == nil ? identifier : nil,
      display: device.name?.fhirString)
  }
}

/// Marks which gateway owns a Device on the server.
///
/// The gateway that creates the Device adds a second identifier, made from its own key. From then on, only
/// that gateway updates the Device.
enum DeviceOwnership {
  /// The `system` of the identifier that names the owner of a Device: an arbitrary URI that all gateways
  /// share.
  private static let system = "urn:uuid:0b0e3a6e-64b7-4f0c-8d2b-0c8a4b9a6a53"

  /// Returns the identifier that marks a gateway as the owner of a Device.
  ///
  /// - Parameters:
  ///   - identifier: The identifier of the device.
  ///   - gateway: The unique key of the gateway.
  static func identifier(of identifier: FHIR.Identifier, owner gateway: String) -> FHIR.Identifier {
    let name = gateway.addingPercentEncoding(withAllowedCharacters: plain) ?? "unknown"
    return FHIR.Identifier(
      type: FHIR.CodeableConcept(text: "told by"), system: system, value: identifier.value + "/" + name)
  }

  /// Characters without a special meaning in a FHIR search.
  private static let plain = CharacterSet(
    charactersIn: "-._0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")

  /// Searches for the Device with an identifier.
  ///
  /// - Returns: `nil` if there is no such Device, if there are several, or if the server refuses the search.
  /// - Throws: `ExternalStoreError`.
  static func found(_ name: FHIR.Identifier, _ client: FHIRClient) async throws -> SearchResponse.Found? {
    let token = name.queryToken.replacing("|", with: "%7C")
    let response = try await client.get("/Device?identifier=\(token)&_elements=identifier,meta&_count=2")
    if response.status == 403 { return nil }
    switch try ServerVerdict(response, from: client.address) {
    case .taken:
      let bundle = try? JSONDecoder().decode(SearchResponse.self, from: response.body)
      let all = (bundle?.entry ?? []).compactMap(\.resource).filter { resource in
        resource.resourceType == "Device"
          && (resource.identifier ?? []).contains { $0.system == name.system && $0.value == name.value }
      }
      return all.count == 1 ? all[0] : nil
    case .refused: return nil
    case .failed(_, let error): throw error
    }
  }
}
