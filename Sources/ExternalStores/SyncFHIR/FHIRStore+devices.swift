import Foundation
import HealthDataSync
import HealthKit

/// What measured, as the server has it.
///
/// Several gateways may know one strap, each in its own words. One of them tells: the gateway that made the
/// Device, which says so in it. Another refers to it and changes nothing, so that the Device does not go to
/// and fro between them. Of one gateway the words of the latest sample count.
extension FHIRStore {
  struct KnownDevice {
    let device: HKDevice
    /// When the sample began that tells so.
    let time: Date
    /// Nil if the server does not take it.
    let reference: FHIR.Reference?
  }

  func reference(to device: HKDevice) -> FHIR.Reference? {
    device.bluetoothIdentifier.flatMap { devices[$0.value]?.reference }
  }

  /// Sees to it that the server has each device. Whoever reads an observation then finds it by a reference,
  /// which holds in every kind of bundle.
  func settleDevices(of records: [ExternalRecord], _ client: FHIRClient) async throws {
    for (identifier, sample, device) in Self.latest(in: records.map(\.sample)) {
      let known = devices[identifier.value]
      if let known, known.device == device || known.time > sample.startDate { continue }
      let reference: FHIR.Reference?
      do {
        reference = try await settle(device, identifier, for: sample.uuid, client)
      } catch let failure as TransactionFailure {
        guard memory.looksForFaults else { throw failure }
        reference = nil
      }
      devices[identifier.value] = KnownDevice(device: device, time: sample.startDate, reference: reference)
    }
  }

  private typealias Told = (identifier: FHIR.Identifier, sample: HKSample, device: HKDevice)

  /// Of each device the sample that begins last, in the order of their first ones.
  private static func latest(in samples: [HKSample]) -> [Told] {
    var places: [String: Int] = [:]
    var all: [Told] = []
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

  /// - Parameter uuid: of the sample for whose sake it is done.
  /// - Returns: how to refer to the device; nil where the server does not take it.
  /// - Throws: `ExternalStoreError`; `TransactionFailure`.
  private func settle(
    _ device: HKDevice, _ identifier: FHIR.Identifier, for uuid: UUID, _ client: FHIRClient
  ) async throws -> FHIR.Reference? {
    let name = DeviceTeller.identifier(of: identifier, told: gateway)
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
    case .failed(_, let error): throw TransactionFailure(at: uuid, error)
    }
  }

  /// Changes nothing where another tells of the device.
  private func update(
    _ words: FHIR.Device, _ name: FHIR.Identifier, for uuid: UUID, _ client: FHIRClient
  ) async throws {
    guard let found = try await DeviceTeller.found(name, client) else { return }
    // Where the server does not say which version it has: the one that this gateway tells of, and no other.
    let entry: TransactionEntry =
      if let version = ResourceVersion(found) { .update(words, over: version) } else { .update(words, name) }
    // What it does not take of that is there as it was, and may be referred to.
    if case .failed(_, let error) = try await transactions(client).send([TransactionChange(uuid, entry)]) {
      throw TransactionFailure(at: uuid, error)
    }
  }

  /// - Parameter location: the server's word for where it is; without one, by what identifies it.
  private static func reference(
    to location: String?, _ identifier: FHIR.Identifier, _ device: HKDevice
  ) -> FHIR.Reference {
    let id = location?.firstMatch(of: #/(?:^|\/)(Device\/[A-Za-z0-9.\-]{1,64})(?:\/|$)/#)
    return FHIR.Reference(
      reference: id.map { String($0.1) }, type: "Device", identifier: id == nil ? identifier : nil,
      display: device.name?.fhirString)
  }
}
