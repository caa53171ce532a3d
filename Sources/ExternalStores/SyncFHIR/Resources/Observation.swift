extension FHIR {
  struct Observation: Encodable, Hashable, Sendable {
    struct Component: Encodable, Hashable, Sendable {
      var code: CodeableConcept
      var valueQuantity: Quantity?
      var valueCodeableConcept: CodeableConcept?
      var valueSampledData: SampledData?
    }

    private(set) var resourceType = "Observation"
    /// The server's, where what it has is replaced.
    var id: String?
    var meta: Meta?
    var contained: [Device]?
    var identifier: [Identifier]
    var status = "final"
    var category: [CodeableConcept]?
    var code: CodeableConcept
    var subject: Reference
    var effectiveDateTime: String?
    var effectivePeriod: Period?
    var performer: [Reference]?
    var valueQuantity: Quantity?
    var valueCodeableConcept: CodeableConcept?
    var valueSampledData: SampledData?
    var bodySite: CodeableConcept?
    var device: Reference?
    var component: [Component]?

    init(identifier: [Identifier], code: CodeableConcept, subject: Reference) {
      self.identifier = identifier
      self.code = code
      self.subject = subject
    }
  }
}
