// Made from Data/identifiers.tsv by scripts/generate. Change the data, not this file.

/// A type of FHIR resource.
public struct HKFHIRResourceType: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  public init(rawValue: String) {
    self.rawValue = rawValue
  }
}

extension HKFHIRResourceType {
  public static let allergyIntolerance = Self(rawValue: "AllergyIntolerance")
  public static let condition = Self(rawValue: "Condition")
  public static let coverage = Self(rawValue: "Coverage")
  public static let diagnosticReport = Self(rawValue: "DiagnosticReport")
  public static let documentReference = Self(rawValue: "DocumentReference")
  public static let immunization = Self(rawValue: "Immunization")
  public static let medicationDispense = Self(rawValue: "MedicationDispense")
  public static let medicationOrder = Self(rawValue: "MedicationOrder")
  public static let medicationRequest = Self(rawValue: "MedicationRequest")
  public static let medicationStatement = Self(rawValue: "MedicationStatement")
  public static let observation = Self(rawValue: "Observation")
  public static let procedure = Self(rawValue: "Procedure")
}

extension HKFHIRResourceType {
  /// Every identifier of the table.
  static let all: [Self] = [
    .allergyIntolerance, .condition, .coverage, .diagnosticReport, .documentReference, .immunization,
    .medicationDispense, .medicationOrder, .medicationRequest, .medicationStatement, .observation, .procedure,
  ]
}
