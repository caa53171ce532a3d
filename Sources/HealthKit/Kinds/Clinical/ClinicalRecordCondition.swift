/// Of the FHIR resource that a record was sent as.
struct ClinicalRecordCondition: Hashable, Codable, Sendable {
  /// nil for any.
  var resourceType: String?
  /// nil for any.
  var identifier: String?

  func holds(_ record: HKClinicalRecord) -> Bool {
    guard let resource = record.fhirResource else { return false }
    return (resourceType.map { resource.resourceType.rawValue == $0 } ?? true)
      && (identifier.map { resource.identifier == $0 } ?? true)
  }
}
