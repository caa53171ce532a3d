/// The FHIR R4 (4.0.1) data types and resources that hrgate sends, with only the elements that it uses. Names
/// are as in the specification.
enum FHIR {
  struct Coding: Encodable, Hashable, Sendable {
    var system: String
    var code: String
    var display: String?
  }

  struct CodeableConcept: Encodable, Hashable, Sendable {
    var coding: [Coding]?
    var text: String?
  }

  struct Identifier: Encodable, Hashable, Sendable {
    var type: CodeableConcept?
    var system: String?
    var value: String

    /// The identifier in the form of a search parameter: `system|value`.
    var token: String { (system.map { $0 + "|" } ?? "") + value }

    /// The token inside the query of a conditional request. The value must not contain characters with a
    /// special meaning in a search, except `%`.
    var queryToken: String { token.replacing("%", with: "%25") }
  }

  struct Reference: Encodable, Hashable, Sendable {
    var reference: String?
    var type: String?
    var identifier: Identifier?
    var display: String?
  }

  struct Quantity: Encodable, Hashable, Sendable {
    var value: Double
    var unit: String
    var system: String?
    var code: String?
  }

  struct Period: Encodable, Hashable, Sendable {
    var start: String
    /// The end, or `nil` if the period is still open.
    var end: String?
  }

  struct SampledData: Encodable, Hashable, Sendable {
    /// The origin of the values. Its `value` is always 0; it is present because FHIR requires a quantity with
    /// a value here.
    var origin: Quantity
    /// Milliseconds between samples.
    var period: Double
    var dimensions: Int
    var data: String
  }

  struct Meta: Encodable, Hashable, Sendable {
    var profile: [String]
  }
}

extension FHIR {
  struct Observation: Encodable, Hashable, Sendable {
    struct Component: Encodable, Hashable, Sendable {
      var code: CodeableConcept
      var valueQuantity: Quantity?
      var valueCodeableConcept: CodeableConcept?
      var valueSampledData: SampledData?
    }

    private(set) var resourceType = "Observation"
    /// The ID that the server assigned, for an update.
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

extension FHIR {
  struct Device: Encodable, Hashable, Sendable {
    struct UDICarrier: Encodable, Hashable, Sendable {
      var deviceIdentifier: String
    }

    struct Name: Encodable, Hashable, Sendable {
      var name: String
      var type: String
    }

    struct Version: Encodable, Hashable, Sendable {
      var type: CodeableConcept
      var value: String
    }

    private(set) var resourceType = "Device"
    /// The ID that the server assigned, for an update. For a Device contained in an Observation, its ID
    /// within that Observation.
    var id: String?
    var identifier: [Identifier]?
    var udiCarrier: [UDICarrier]?
    var manufacturer: String?
    var deviceName: [Name]?
    var modelNumber: String?
    var version: [Version]?

    init() {}
  }
}
