import Foundation
import HealthKit

/// Marks the Observation of a deleted sample: it stays on the server with the status `entered-in-error` and
/// without a value.
///
/// After a FHIR DELETE, nothing would show that the sample was deleted, and a late request or another gateway
/// would create it again. The specification defines `entered-in-error` for data that is to be treated as if
/// it never existed.
enum Withdrawal {
  static let status = "entered-in-error"
  /// The `system` of the identifier that names the gateway that deleted the sample: an arbitrary URI that all
  /// gateways share.
  private static let system = "urn:uuid:5b0c1c0e-6d6e-4f0b-9c35-0b6c0b4c7a11"

  /// Returns an Observation that is marked as deleted. It contains only the sample's UUID and type.
  static func observation(
    _ uuid: UUID, of type: HKSampleType, subject: FHIR.Reference, by gateway: String
  ) -> FHIR.Observation {
    var observation = FHIR.Observation(
      identifier: [
        FHIR.Identifier(uuid),
        FHIR.Identifier(
          type: FHIR.CodeableConcept(text: "withdrawn by"), system: system,
          value: name(uuid, gateway)),
      ],
      code: FHIR.CodeableConcept(type), subject: subject)
    observation.status = status
    return observation
  }

  /// Returns the identifier that a gateway adds when it marks a sample as deleted. It contains the gateway
  /// and the sample, because identifiers must be unique.
  ///
  /// - Parameter gateway: The unique key of the gateway.
  static func name(_ uuid: UUID, _ gateway: String) -> String {
    FHIR.Identifier(uuid).value + "/" + (gateway.fhirString ?? "unknown")
  }

  /// Returns the identifiers with which gateways marked an Observation as deleted, or `nil` if it is not
  /// marked as deleted. The set is empty if it was not marked by a gateway but, for example, by a user of the
  /// server.
  static func names(in found: SearchResponse.Found) -> Set<String>? {
    guard found.status == status else { return nil }
    return Set((found.identifier ?? []).filter { $0.system == system }.compactMap(\.value))
  }
}
