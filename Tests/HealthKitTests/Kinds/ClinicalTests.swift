import HealthKit
import Testing

@Suite struct ClinicalTests {
  // MARK: - FHIR

  @Test(
    arguments: [
      ("1.0.2", .dstu2), ("4.0.1", .r4), ("3.0.2", .unknown), ("4.3.0", .unknown), ("0.0.0", .unknown),
    ] as [(String, HKFHIRRelease)])
  func aVersionIsThreeNumbers(_ string: String, release: HKFHIRRelease) throws {
    let version = try HKFHIRVersion(fromVersionString: string)
    #expect(version.stringRepresentation == string)
    #expect(version.fhirRelease == release)
    #expect(try archived(version) == version)
  }

  @Test(
    arguments: [
      "", ".", "4", "4.0", "4.0.1.0", "4.0.1-ballot", "R4", "-4.0.1", "+4.0.1", "4..1", " 4.0.1", "4.0.x",
      "٤.0.1",
      "99999999999999999999.0.0",
    ])
  func `other strings are rejected`(_ string: String) {
    expectFailure(.errorInvalidArgument) { try HKFHIRVersion(fromVersionString: string) }
  }

  @Test func thePrimaryVersions() throws {
    let r4 = HKFHIRVersion.primaryR4()
    #expect((r4.majorVersion, r4.minorVersion, r4.patchVersion) == (4, 0, 1))
    #expect(r4 == (try HKFHIRVersion(fromVersionString: "4.0.1")))
    #expect(HKFHIRVersion.primaryDSTU2().stringRepresentation == "1.0.2")
    #expect(HKFHIRVersion.primaryDSTU2() != r4)
  }

  private func resource(
    type: HKFHIRResourceType = .observation, identifier: String = "1", data: Data = Data("{}".utf8),
    url: String? = "https://example.org/Observation/1"
  ) throws -> HKFHIRResource {
    try HKFHIRResource(
      fhirVersion: .primaryR4(), resourceType: type, identifier: identifier, data: data,
      sourceURL: url.flatMap(URL.init(string:)))
  }

  @Test func aResourceHasATypeAnIdentifierAndData() throws {
    _ = try resource()
    #expect(throws: HKValidationError.self) { try resource(type: HKFHIRResourceType(rawValue: "")) }
    #expect(throws: HKValidationError.self) { try resource(identifier: "") }
    #expect(throws: HKValidationError.self) { try resource(data: Data()) }
  }

  @Test func `a resource can be archived`() throws {
    for url in ["https://example.org/Observation/1", nil] {
      #expect(try archived(try resource(url: url)) == (try resource(url: url)))
    }
    #expect(try resource() != (try resource(url: nil)))
    #expect(try readTampered(try resource(), ["data": Data()]) == nil)
    #expect(try readTampered(try resource(), ["identifier": nil]) == nil)
  }

  @Test func `a record can be archived`() throws {
    let record = try HKClinicalRecord.make(
      uuid: UUID(), type: HKClinicalType(.labResultRecord), displayName: "Glucose", fhirResource: resource(),
      start: moment(), end: moment(1), device: nil, metadata: nil)
    let same = try #require(try archived(record))
    #expect(same == record)
    #expect(same.clinicalType == HKClinicalType(.labResultRecord))
    #expect(same.displayName == "Glucose")
    #expect(same.fhirResource == record.fhirResource)
    #expect((same.startDate, same.endDate) == (moment(), moment(1)))
    #expect(try readTampered(record, ["displayName": nil]) == nil)
    #expect(throws: HKValidationError.self) {
      try HKClinicalRecord.make(
        uuid: UUID(), type: HKClinicalType(.labResultRecord), displayName: "", fhirResource: nil,
        start: moment(1), end: moment(), device: nil, metadata: nil)
    }
  }

  // MARK: - Verifiable records

  private var statement: VerifiableClinicalContent {
    VerifiableClinicalContent(
      recordTypes: [HKVerifiableClinicalRecordCredentialType.immunization.rawValue, "x"],
      issuerIdentifier: "https://example.org",
      subject: HKVerifiableClinicalRecordSubject(
        fullName: "Ada", dateOfBirthComponents: DateComponents(year: 1990, month: 5)),
      issuedDate: moment(10), relevantDate: moment(), expirationDate: nil, itemNames: ["Vaccine"],
      sourceType: .smartHealthCard, dataRepresentation: Data([1, 2, 3]))
  }

  @Test func `the dates of a verifiable record are its relevant date`() throws {
    let record = try HKVerifiableClinicalRecord.make(uuid: UUID(), statement, device: nil, metadata: nil)
    #expect((record.startDate, record.endDate) == (moment(), moment()))
    #expect(!record.sampleType.isShareable)
  }

  @Test func `a verifiable record can be archived`() throws {
    var statement = statement
    statement.expirationDate = moment(1_000)
    for statement in [self.statement, statement] {
      let record = try HKVerifiableClinicalRecord.make(uuid: UUID(), statement, device: nil, metadata: nil)
      let same = try #require(try archived(record))
      #expect(same == record)
      #expect(same.recordTypes == record.recordTypes)
      #expect(same.issuerIdentifier == "https://example.org")
      #expect(same.subject == record.subject)
      #expect(same.subject.dateOfBirthComponents == DateComponents(year: 1990, month: 5))
      #expect((same.issuedDate, same.relevantDate) == (moment(10), moment()))
      #expect(same.expirationDate == record.expirationDate)
      #expect(same.itemNames == ["Vaccine"])
      #expect(same.sourceType == .smartHealthCard)
      #expect(same.dataRepresentation == Data([1, 2, 3]))
      #expect(try readTampered(record, ["issuerIdentifier": nil]) == nil)
      // All dates of the record are replaced by the reference date of 2001, so they are consistent.
      let tampered = try #require(try readTampered(record, ["NS.time": 0.0]))
      #expect(tampered.relevantDate == Date(timeIntervalSinceReferenceDate: 0))
    }
  }

  @Test func `the date of birth of a subject may be missing`() throws {
    let subject = HKVerifiableClinicalRecordSubject(fullName: "Ada", dateOfBirthComponents: nil)
    #expect(try archived(subject) == subject)
    #expect(try archived(subject)?.dateOfBirthComponents == nil)
    #expect(subject != statement.subject)
  }
}
