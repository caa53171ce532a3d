/// Of the FHIR resource that a record was sent as.
struct ClinicalRecordCondition: Hashable, Codable, Sendable {
  var resourceType: String
  /// nil for any.
  var identifier: String?

  func holds(_ record: HKClinicalRecord) -> Bool {
    guard let resource = record.fhirResource else { return false }
    return resource.resourceType.rawValue == resourceType
      && (identifier.map { resource.identifier == $0 } ?? true)
  }
}
