/// The data types and resources of FHIR R4 (4.0.1), as far as they are sent. Names are the specification's.
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

    /// As a search has it: `system|value`.
    var token: String { (system.map { $0 + "|" } ?? "") + value }

    /// The same within the query of a conditional request. No sign of the value may mean something to a
    /// search, but for `%`.
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
    /// Absent for what goes on.
    var end: String?
  }

  struct SampledData: Encodable, Hashable, Sendable {
    /// A quantity without a value where the zero is that of the unit would not be valid: `value` is 0.
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
