import Foundation
import HealthDataSync

/// The Device by which a gateway notices that a server lost what was sent there: hrgate itself, with the
/// number of the last page as one of its versions.
struct MarkerDevice {
  /// Any URI, the same in every gateway.
  private static let system = "urn:uuid:9a0f9a44-5d0e-4f8e-a8a3-3f6a2d1b7c55"
  private static let kind = "page"

  let id: UUID

  private var identifier: FHIR.Identifier {
    FHIR.Identifier(
      type: FHIR.CodeableConcept(text: "what hrgate has sent"), system: Self.system,
      value: id.uuidString.lowercased())
  }

  private func device(_ sequence: Int64) -> FHIR.Device {
    var device = FHIR.Device()
    device.identifier = [identifier]
    device.deviceName = [FHIR.Device.Name(name: "hrgate", type: "model-name")]
    device.version = [FHIR.Device.Version(type: FHIR.CodeableConcept(text: Self.kind), value: "\(sequence)")]
    return device
  }

  /// The entry that stores the number of a page with its other changes.
  func change(_ sequence: Int64) throws -> TransactionChange {
    try TransactionChange(id, .update(device(sequence), identifier), isMarker: true)
  }

  /// Makes the Device, without a page.
  /// - Returns: false if the server does not take it: it then holds no markers.
  /// - Throws: `ExternalStoreError`.
  func make(_ client: FHIRClient) async throws -> Bool {
    let creation = try TransactionChange(id, .create(device(0), identifier), isMarker: true)
    let answer = try await client.post(Transactions.bundle([creation]))
    // No right to a Device, which is needed for nothing else unless a sample has one.
    if answer.status == 403 { return false }
    switch try ServerVerdict(answer, from: client.address) {
    case .taken:
      let bundle = try? JSONDecoder().decode(TransactionAnswer.self, from: answer.body)
      return bundle?.entry?.first?.response?.code.map((200..<300).contains) ?? false
    case .refused: return false
    case .failed(_, let error): throw error
    }
  }

  enum Found: Sendable {
    case page(Int64)
    case nothing
    /// The server lets nobody look for it.
    case unknown
  }

  /// Looks for the Device at the server, not in what the server remembers of an earlier search.
  /// - Throws: `ExternalStoreError`.
  func find(_ client: FHIRClient) async throws -> Found {
    let token = identifier.queryToken.replacing("|", with: "%7C")
    let answer = try await client.get("/Device?identifier=\(token)&_count=2", isFresh: true)
    if answer.status == 403 { return .unknown }
    switch try ServerVerdict(answer, from: client.address) {
    case .refused: return .unknown
    case .failed(_, let error): throw error
    case .taken:
      guard let bundle = try? JSONDecoder().decode(SearchAnswer.self, from: answer.body),
        bundle.resourceType == "Bundle"
      else { return .unknown }
      let pages = (bundle.entry ?? []).compactMap(\.resource).filter { resource in
        resource.resourceType == "Device"
          && (resource.identifier ?? []).contains { $0.system == Self.system && $0.value == identifier.value }
      }.compactMap { $0.version?.lazy.compactMap(\.value).compactMap { Int64($0) }.first }
      return pages.max().map(Found.page) ?? .nothing
    }
  }
}
