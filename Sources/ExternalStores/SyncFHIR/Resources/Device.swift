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
    /// Of one that is contained; the server's, where what it has is replaced.
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
