import HealthKit
import Testing

@Suite struct DocumentTests {
  /// A small document with all elements.
  private static let small = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!-- a comment -->
    <ClinicalDocument xmlns="urn:hl7-org:v3" xmlns:x="urn:other">
    <x:title>Not this</x:title>
    <title>Discharge <![CDATA[& summary]]></title>
    <recordTarget><patientRole>
    <patient><name use="L"><prefix>Dr.</prefix><given>Ada</given> <given>M.</given>\
    <family>L&#246;velace</family></name><name>Second</name></patient>
    <providerOrganization><name>Not this</name></providerOrganization>
    </patientRole></recordTarget>
    <author><assignedAuthor><assignedPerson><name>Grace Hopper</name></assignedPerson></assignedAuthor></author>
    <author><assignedAuthor><assignedPerson><name>Another</name></assignedPerson></assignedAuthor></author>
    <custodian><assignedCustodian><representedCustodianOrganization><name>Good   Health
    Clinic</name></representedCustodianOrganization></assignedCustodian></custodian>
    <component><structuredBody><title>Not this</title></structuredBody></component>
    </ClinicalDocument>
    """

  private static let least =
    #"<ClinicalDocument xmlns="urn:hl7-org:v3"><recordTarget/><author/><custodian/></ClinicalDocument>"#

  private func sample(
    _ xml: String = small, start: Date = moment(), end: Date = moment(), metadata: [String: Any]? = nil
  ) throws -> HKCDADocumentSample {
    try HKCDADocumentSample(data: Data(xml.utf8), start: start, end: end, metadata: metadata)
  }

  /// Returns the error for a rejected document; nil if it is accepted.
  private func flaw(_ data: Data) -> String? {
    do {
      _ = try HKCDADocumentSample(data: data, start: moment(), end: moment(), metadata: nil)
      return nil
    } catch let error as HKError where error.code == .errorInvalidArgument {
      return error.errorUserInfo[HKDetailedCDAValidationErrorKey] as? String ?? "no reason"
    } catch {
      return "another error"
    }
  }

  private func flaw(_ xml: String) -> String? { flaw(Data(xml.utf8)) }

  @Test func `a document has its title and names`() throws {
    let sample = try sample()
    let document = try #require(sample.document)
    #expect(document.title == "Discharge & summary")
    #expect(document.patientName == "Dr. Ada M. Lövelace")
    #expect(document.authorName == "Grace Hopper")
    #expect(document.custodianName == "Good Health Clinic")
    #expect(document.documentData == Data(Self.small.utf8))
    #expect(sample.documentType == HKDocumentType(.CDA))
    #expect(sample.sampleType == HKDocumentType(.CDA))
  }

  @Test func `missing names in a document are empty`() throws {
    let document = try #require(try sample(Self.least).document)
    #expect(document.title.isEmpty)
    #expect(document.patientName.isEmpty)
    #expect(document.authorName.isEmpty)
    #expect(document.custodianName.isEmpty)
  }

  @Test func `the error has the reason why a document is rejected`() {
    #expect(flaw("text") == "line 1: text outside the root element")
    #expect(
      flaw(Self.least.replacing("<author/>", with: ""))
        == "the element ClinicalDocument/author is missing")
    #expect(flaw("<!DOCTYPE a>" + Self.least)?.hasSuffix("a document type declaration") == true)
    #expect(flaw(Data(count: 16 << 20 | 1))?.contains("larger") == true)
    #expect(flaw(Self.small) == nil)
  }

  @Test func datesAndMetadataAreChecked() {
    expectFailure(.errorInvalidArgument) { try sample(start: moment(1)) }
    expectFailure(.errorInvalidArgument) { try sample(end: moment(345_601)) }
    expectFailure(.errorInvalidArgument) { try sample(end: .distantFuture) }
    expectFailure(.errorInvalidArgument) { try sample(metadata: ["k": [1]]) }
    #expect(throws: Never.self) { try sample(end: moment(345_600), metadata: ["k": 1]) }
  }

  // MARK: - Archives

  @Test func `a sample is archived with its document`() throws {
    let sample = try sample(metadata: ["k": "v"])
    let same = try #require(try archived(sample))
    #expect(same == sample)
    #expect(same.document == sample.document)
    #expect(same.metadata?["k"] as? String == "v")
  }

  @Test func `a sample without its document is archived without it`() throws {
    let sample = try HKCDADocumentSample(start: moment(), end: moment(1), uuid: UUID())
    let same = try #require(try archived(sample))
    #expect(same == sample)
    #expect(same.document == nil)
    #expect(same.endDate == moment(1))
  }

  @Test func `an archive with an invalid document is rejected`() throws {
    let sample = try sample()
    #expect(try readTampered(sample, ["hasDocument": false])?.document == nil)
    let withoutData = try #require(try readTampered(sample, ["documentData": nil])?.document)
    #expect(withoutData.documentData == nil)
    #expect(withoutData.title == "Discharge & summary")
    #expect(try readTampered(sample, ["documentData": nil, "title": nil]) == nil)
    // Texts come from the document, whatever the archive contains.
    #expect(try readTampered(sample, ["title": nil])?.document?.title == "Discharge & summary")
  }
}
