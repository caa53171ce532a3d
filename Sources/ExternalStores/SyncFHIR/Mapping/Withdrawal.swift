import Foundation
import HealthKit

/// A deleted sample on the server: an Observation with the status `entered-in-error` and without a value.
///
/// FHIR's DELETE leaves nothing that a later creation would find, so a late request or another gateway would
/// create the sample again. The specification defines `entered-in-error` for data to be treated as if it
/// never existed.
enum Withdrawal {
  static let status = "entered-in-error"
  /// The system of the identifier that names the withdrawing gateway: an arbitrary URI that all gateways
  /// share.
  private static let system = "urn:uuid:5b0c1c0e-6d6e-4f0b-9c35-0b6c0b4c7a11"

  /// Returns a withdrawn Observation. It contains only the sample's UUID and type.
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

  /// Returns the identifier of a withdrawal. It contains the gateway and the sample, because identifiers must
  /// be unique.
  ///
  /// - Parameter gateway: The unique key of the gateway.
  static func name(_ uuid: UUID, _ gateway: String) -> String {
    FHIR.Identifier(uuid).value + "/" + (gateway.fhirString ?? "unknown")
  }

  /// Returns the withdrawal identifiers in an Observation, or `nil` if it is not withdrawn. The set is empty
  /// if someone other than a gateway withdrew it.
  static func names(in found: SearchResponse.Found) -> Set<String>? {
    guard found.status == status else { return nil }
    return Set((found.identifier ?? []).filter { $0.system == system }.compactMap(\.value))
  }
}
