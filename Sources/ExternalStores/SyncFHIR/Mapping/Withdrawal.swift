import Foundation
import HealthKit

/// What becomes of a sample that was deleted: an Observation that says it was withdrawn, without a value.
///
/// FHIR's DELETE leaves nothing that a later creation would find: a sample that comes late, or from another
/// gateway, would be there again. `entered-in-error` is the status of the specification for what is to be
/// taken as if it had never been there.
enum Withdrawal {
  static let status = "entered-in-error"
  /// Of the identifier that says which gateway withdrew it: any URI, the same in every gateway.
  private static let system = "urn:uuid:5b0c1c0e-6d6e-4f0b-9c35-0b6c0b4c7a11"

  /// Nothing of the sample but its UUID and its type.
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

  /// Of the gateway, and of the sample as well: no two samples have an identifier in common.
  /// - Parameter gateway: what tells it from all others.
  static func name(_ uuid: UUID, _ gateway: String) -> String {
    FHIR.Identifier(uuid).value + "/" + (gateway.fhirString ?? "unknown")
  }

  /// By which names gateways withdrew it: none for what somebody else withdrew. Nil for an Observation that
  /// stands.
  static func names(in found: SearchAnswer.Found) -> Set<String>? {
    guard found.status == status else { return nil }
    return Set((found.identifier ?? []).filter { $0.system == system }.compactMap(\.value))
  }
}
