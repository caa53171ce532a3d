import Foundation
import HealthDataSync

/// Which gateway tells of a Device: the one that made it. It says so in a second identifier, its own for the
/// device.
enum DeviceTeller {
  /// Any URI, the same in every gateway.
  private static let system = "urn:uuid:0b0e3a6e-64b7-4f0c-8d2b-0c8a4b9a6a53"

  /// - Parameters:
  ///   - identifier: the device's.
  ///   - gateway: what tells it from all others.
  static func identifier(of identifier: FHIR.Identifier, told gateway: String) -> FHIR.Identifier {
    let name = gateway.addingPercentEncoding(withAllowedCharacters: plain) ?? "unknown"
    return FHIR.Identifier(
      type: FHIR.CodeableConcept(text: "told by"), system: system, value: identifier.value + "/" + name)
  }

  /// Signs that mean nothing to a search.
  private static let plain = CharacterSet(
    charactersIn: "-._0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")

  /// The one Device of such an identifier; nil where there is none, or the server lets nobody look for it.
  /// - Throws: `ExternalStoreError`.
  static func found(_ name: FHIR.Identifier, _ client: FHIRClient) async throws -> SearchAnswer.Found? {
    let token = name.queryToken.replacing("|", with: "%7C")
    let answer = try await client.get("/Device?identifier=\(token)&_elements=identifier,meta&_count=2")
    if answer.status == 403 { return nil }
    switch try ServerVerdict(answer, from: client.address) {
    case .taken:
      let bundle = try? JSONDecoder().decode(SearchAnswer.self, from: answer.body)
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
