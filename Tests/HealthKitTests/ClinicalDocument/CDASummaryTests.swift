import Foundation
import HealthFormats
import Testing

@Suite struct CDASummaryTests {
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

  /// Returns the reason why a document is rejected; nil if it is accepted.
  private func flaw(_ data: Data) -> String? {
    do {
      _ = try CDASummary(of: data)
      return nil
    } catch {
      return error.reason
    }
  }

  private func flaw(_ xml: String) -> String? { flaw(Data(xml.utf8)) }

  @Test func `a document has its title and names`() throws {
    let summary = try CDASummary(of: Data(Self.small.utf8))
    #expect(summary.title == "Discharge & summary")
    #expect(summary.patientName == "Dr. Ada M. Lövelace")
    #expect(summary.authorName == "Grace Hopper")
    #expect(summary.custodianName == "Good Health Clinic")
    #expect(try CDASummary(of: Data(Self.least.utf8)) == CDASummary())
  }

  @Test func `an error has its line number`() {
    #expect(flaw(Self.small.replacing("<title>", with: "<title ")) == "line 5: a tag without an end")
  }

  @Test(
    arguments: [
      ("UTF-8", .utf8, [0xEF, 0xBB, 0xBF]), ("ISO-8859-1", .isoLatin1, []), ("iso-8859-1", .isoLatin1, []),
      ("UTF-16", .utf16LittleEndian, [0xFF, 0xFE]), ("UTF-16", .utf16BigEndian, [0xFE, 0xFF]),
      ("UTF-16LE", .utf16LittleEndian, []), ("UTF-16BE", .utf16BigEndian, []), ("x-mac-cyrillic", .utf8, []),
    ] as [(String, String.Encoding, [UInt8])])
  func `a document may have several encodings`(name: String, encoding: String.Encoding, mark: [UInt8]) throws
  {
    let text = Self.small.replacing("UTF-8", with: name).replacing("&#246;", with: "ö")
    let data = Data(mark) + (try #require(text.data(using: encoding)))
    #expect(try CDASummary(of: data).patientName == "Dr. Ada M. Lövelace")
  }

  @Test func `a document needs a record target, an author and a custodian`() {
    for part in ["recordTarget", "author", "custodian"] {
      #expect(
        flaw(Self.least.replacing("<\(part)/>", with: ""))
          == "the element ClinicalDocument/\(part) is missing")
    }
  }

  @Test func `a document that is not CDA is rejected`() {
    for xml in [
      "", " ", "text", "<a", "<ClinicalDocument/>", Self.least.replacing("v3", with: "v2"),
      Self.least.replacing("ClinicalDocument", with: "Document"), Self.least + "<more/>", Self.least + "x",
      Self.least.replacing("<author/>", with: "<author></Author>"),
      Self.least.replacing("<author/>", with: "<author>&nothing;</author>"), "{\"json\": true}",
    ] {
      #expect(flaw(xml) != nil, "\(xml)")
    }
    #expect(flaw(Data([0xFF, 0xFE, 0x00])) != nil)
    #expect(
      flaw(Data(Self.least.utf8).prefix(20) + [0xC3, 0x28] + Data(Self.least.utf8).dropFirst(20)) != nil)
  }

  @Test(arguments: [
    "<a b=1/>", "<a b='1' b='2'/>", "<a b='<'/>", "<a b='1\"/>", "<a b/>", "<x:a/>", "<a x:b='1'/>",
    "<a:b:c/>",
    "<:a/>", "<1/>", "<a", "<a>", "</a>", "<a></b>", "<a xmlns:x=''/>", "<a>&</a>", "<a>&#0;</a>",
    "<a>&#xD800;</a>",
    "<a>&#x110000;</a>", "<a>&#+65;</a>", "<a>&#;</a>", "<a>&nbsp;</a>", "<a b='&x;'/>", "<!-- a -- b -->",
    "<!a>",
    "<!-- ", "<![CDATA[", "<?p ", "<a/ >", "< a/>", "<a>\u{1}</a>",
  ])
  func `a malformed document is rejected`(_ part: String) {
    #expect(flaw(Self.least.replacing("<author/>", with: "<author/>" + part)) != nil)
  }

  @Test(arguments: [
    "<a b='1' c = \"'\" />", "<a>&#65;&#x42;&amp;&quot;&apos;&lt;&gt;</a>", "<?p?>", "<!---->", "<é ö='ä'/>",
    "<x:a xmlns:x='u' x:b='&#10;'><x:c/></x:a>", "<a xmlns=''/>", "<a xml:lang='de'/>", "<![CDATA[<a>]]>",
    "]]",
    "<a\n\t></a\n>", "<a-1._/>", "🫀",
  ])
  func `a well-formed document is accepted`(_ part: String) {
    #expect(flaw(Self.least.replacing("<author/>", with: "<author/>" + part)) == nil)
  }

  // MARK: - Malicious documents

  @Test func `a truncated document is rejected`() {
    let whole = Data(Self.small.utf8)
    for length in 0..<whole.count {
      #expect(flaw(whole.prefix(length)) != nil, "\(length)")
    }
    #expect(flaw(whole) == nil)
  }

  @Test func `a damaged document causes no crash`() {
    let whole = Data(Self.small.utf8)
    for index in whole.indices {
      for byte in [0, 0x3C, 0x26, 0xFF] as [UInt8] {
        var damaged = whole
        damaged[index] = byte
        _ = flaw(damaged)
      }
    }
  }

  @Test func `a document type declaration is rejected, so there are no entities`() {
    let laughs = (1...9).map { level in
      "<!ENTITY l\(level) \"\(String(repeating: "&l\(level - 1);", count: 10))\">"
    }
    let using = Self.least.replacing("<author/>", with: "<author/><title>&l9;</title>")
    for declarations in [
      #"<!ENTITY l0 "lol">"# + laughs.joined(), #"<!ENTITY l9 SYSTEM "file:///etc/hostname">"#,
      #"<!ENTITY l9 "a"><!ENTITY % p SYSTEM "file:///etc/hostname"> %p;"#, "",
    ] {
      for prolog in ["", "\n", "<!-- <a> -->", "<?a <!-- ?>", "<?xml version='1.0'?>\n<!--?-->"] {
        let flaw = flaw("\(prolog)<!DOCTYPE ClinicalDocument [\(declarations)]>\(using)")
        #expect(flaw?.hasSuffix("a document type declaration") == true)
      }
    }
    #expect(flaw("<!-- <!DOCTYPE a> -->" + Self.least) == nil)
  }

  @Test func `the nesting of elements is limited`() {
    for depth in [150, 250, 100_000] {
      let nested = String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
      let xml = Self.least.replacing("<author/>", with: "<author/>" + nested)
      #expect((flaw(xml) == nil) == (depth == 150))
    }
  }

  @Test func `the length of a name is limited`() {
    for length in [10_000, 10_001] {
      let title = "<title>\(String(repeating: "x", count: length))</title>"
      #expect(
        (flaw(Self.least.replacing("<author/>", with: "<author/>" + title)) == nil) == (length == 10_000))
    }
    let bulk = String(repeating: "<x>y</x>", count: 100_000)
    #expect(flaw(Self.least.replacing("<author/>", with: "<author/>" + bulk)) == nil)
  }

  @Test func `the size of a document is limited`() {
    #expect(flaw(Data(count: 16 << 20 | 1))?.contains("larger") == true)
  }
}
