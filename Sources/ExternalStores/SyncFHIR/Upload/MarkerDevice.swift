import Foundation
import HealthDataSync

/// A Device on the server that shows whether the server lost data.
///
/// It describes hrgate itself, and one of its `version` elements contains the number of the last page of
/// changes that was sent. If the Device is missing or its number is too low, the server lost data.
struct MarkerDevice {
  /// The `system` of the Device's identifier: an arbitrary URI that all gateways share.
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

  /// Returns the change that stores a page number. It is sent in the same transaction as the page's other
  /// changes.
  func change(_ sequence: Int64) throws -> TransactionChange {
    try TransactionChange(id, .update(device(sequence), identifier), isMarker: true)
  }

  /// Creates the Device, with page number 0.
  ///
  /// - Returns: `false` if the server does not accept the Device. In that case, no markers are stored there.
  /// - Throws: `ExternalStoreError`.
  func make(_ client: FHIRClient) async throws -> Bool {
    let creation = try TransactionChange(id, .create(device(0), identifier), isMarker: true)
    let response = try await client.post(Transactions.bundle([creation]))
    // If the token does not allow writing Devices, continue without a marker: apart from the marker, only
    // samples from a device need that permission.
    if response.status == 403 { return false }
    switch try ServerVerdict(response, from: client.address) {
    case .taken:
      let bundle = try? JSONDecoder().decode(TransactionResponse.self, from: response.body)
      return bundle?.entry?.first?.response?.code.map((200..<300).contains) ?? false
    case .refused: return false
    case .failed(_, let error): throw error
    }
  }

  enum Found: Sendable {
    case page(Int64)
    case nothing
    /// Unknown, because the server does not allow or support the search.
    case unknown
  }

  /// Searches for the Device. Bypasses the server's search cache.
  ///
  /// - Throws: `ExternalStoreError`.
  func find(_ client: FHIRClient) async throws -> Found {
    let token = identifier.queryToken.replacing("|", with: "%7C")
    let response = try await client.get("/Device?identifier=\(token)&_count=2", isFresh: true)
    if response.status == 403 { return .unknown }
    switch try ServerVerdict(response, from: client.address) {
    case .refused: return .unknown
    case .failed(_, let error): throw error
    case .taken:
      guard let bundle = try? JSONDecoder().decode(SearchResponse.self, from: response.body),
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
