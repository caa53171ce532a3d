import Foundation
import HealthKitSignatures
import Testing

@Suite struct RecordEncodingTests {
  /// A record that was encoded by hand according to the ASN.1: 82.5 count/min from 2025-01-02 03:04:05 UTC
  /// for 0.25 s.
  static let entries: [[UInt8]] = [
    entry("type", 0x0C, "T"), entry("unit", 0x0C, "count/min"), entry("value", 0x0C, "82.5"),
    entry("endDate", 0x18, "20250102030405.25Z"), entry("startDate", 0x18, "20250102030405Z"),
  ]

  static func entry(_ key: String, _ tag: UInt8, _ value: String) -> [UInt8] {
    node(0x30, node(0x0C, Array(key.utf8)) + node(tag, Array(value.utf8)))
  }

  static func node(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] { HandmadeMessage.node(tag, content) }

  private func replacing(_ key: String, with entry: [UInt8]?) -> [UInt8] {
    let rest = Self.entries.filter { !$0.contains(Self.node(0x0C, Array(key.utf8))) }
    let all = (rest + (entry.map { [$0] } ?? [])).sorted { $0.lexicographicallyPrecedes($1) }
    return Self.node(0x31, all.flatMap(\.self))
  }

  private func reason(_ bytes: [UInt8]) -> String? {
    do {
      _ = try SignedRecord(derEncoded: bytes)
      return nil
    } catch {
      #expect(error.code == .malformedContent)
      return error.reason
    }
  }

  @Test func `a record is encoded as the ASN.1 defines`() throws {
    let start = Date(timeIntervalSince1970: 1_735_787_045)
    let record = try SignedRecord(
      type: "T", value: .quantity(82.5, unit: "count/min"), start: start, end: start + 0.25)
    let expected = Self.node(
      0x31, Self.entries.sorted { $0.lexicographicallyPrecedes($1) }.flatMap(\.self))
    #expect(record.derEncoded == expected)
    #expect(try SignedRecord(derEncoded: expected) == record)
  }

  @Test func `a value may be any decimal`() throws {
    for text in ["82.50", "082.5", "825e-1", "8.25E1"] {
      #expect(reason(replacing("value", with: Self.entry("value", 0x0C, text))) == nil)
    }
    for text in ["", "nan", "inf", "0x52", "82,5", " 82.5", "1e999", String(repeating: "1", count: 65)] {
      #expect(
        reason(replacing("value", with: Self.entry("value", 0x0C, text)))
          == "the record's value is not a finite decimal number")
    }
  }

  @Test(arguments: ["type", "value", "startDate", "endDate"])
  func `a missing key is reported by name`(_ key: String) {
    #expect(reason(replacing(key, with: nil)) == "the record has no \(key)")
  }

  @Test func `without a unit the value is an integer`() {
    #expect(reason(replacing("unit", with: nil)) == "the record's value has no unit and is not an integer")
    let integer = Self.node(0x30, Self.node(0x0C, Array("value".utf8)) + [0x02, 0x01, 0x05])
    #expect(reason(replacing("value", with: integer)) == "value of the record is not a text")
  }

  @Test func `unknown, repeated and mistyped keys are rejected`() {
    let sorted = Self.entries.sorted { $0.lexicographicallyPrecedes($1) }
    #expect(reason(replacing("none", with: Self.entry("note", 0x0C, "x"))) == "the record has an unknown key")
    #expect(reason(replacing("none", with: Self.entry("type", 0x0C, "U"))) == "the record has type twice")
    #expect(
      reason(replacing("type", with: Self.entry("type", 0x18, "20250102030405Z")))
        == "type of the record is not a text")
    #expect(
      reason(replacing("endDate", with: Self.entry("endDate", 0x0C, "now")))
        == "endDate of the record is not a date")
    #expect(
      reason(replacing("type", with: Self.entry("type", 0x04, "T")))
        == "a value is neither text, integer nor date")
    let notUTF8 = Self.node(0x30, Self.node(0x0C, Array("type".utf8)) + [0x0C, 0x01, 0xFF])
    #expect(reason(replacing("type", with: notUTF8)) == "a text is not UTF-8")
    #expect(reason(Self.node(0x31, sorted.reversed().flatMap(\.self))) != nil)
  }

  @Test func `an integer has the minimum number of bytes, and at most 64 bits`() {
    func reason(ofInteger content: [UInt8]) -> String? {
      let value = Self.node(0x30, Self.node(0x0C, Array("value".utf8)) + Self.node(0x02, content))
      let entries = (Self.entries.filter { !$0.contains(Self.node(0x0C, Array("unit".utf8))) })
        .filter { !$0.contains(Self.node(0x0C, Array("value".utf8))) }
      return self.reason(
        Self.node(0x31, (entries + [value]).sorted { $0.lexicographicallyPrecedes($1) }.flatMap(\.self)))
    }
    for content in [
      [0x00], [0x7F], [0x80], [0x00, 0x80], [0xFF, 0x7F], [0x7F] + [UInt8](repeating: 0xFF, count: 7),
    ]
      as [[UInt8]]
    {
      #expect(reason(ofInteger: content) == nil, "\(content)")
    }
    for content in [
      [], [0x00, 0x00], [0x00, 0x7F], [0xFF, 0x80], [0x00, 0x80] + [UInt8](repeating: 0, count: 7),
    ]
      as [[UInt8]]
    {
      #expect(reason(ofInteger: content) != nil, "\(content)")
    }
  }

  @Test(arguments: [0, 1, 100, 127, 128, 200, 255, 256, 65_535, 65_536, 70_000])
  func `a text of any length is decoded`(_ length: Int) throws {
    let start = Date(timeIntervalSince1970: 1_735_787_045)
    let record = try SignedRecord(
      type: String(repeating: "T", count: length), value: .quantity(1, unit: "é"), start: start, end: start)
    #expect(try SignedRecord(derEncoded: record.derEncoded) == record)
  }

  @Test func `only DER without trailing bytes is accepted`() {
    let sound = Self.node(0x31, Self.entries.sorted { $0.lexicographicallyPrecedes($1) }.flatMap(\.self))
    #expect(reason(sound) == nil)
    #expect(reason(sound + [0x05, 0x00]) != nil)
    #expect(reason([0x30] + sound.dropFirst()) != nil)
    // The length takes more bytes than necessary, or is indefinite. DER allows neither.
    #expect(reason([0x31, 0x82, 0x00] + sound.dropFirst(2)) != nil)
    #expect(reason([0x31, 0x80] + sound.dropFirst(3) + [0, 0]) != nil)
    #expect(reason([]) != nil)
  }

  @Test(arguments: [
    "20250102030405.0Z", "20250102030405.250Z", "20250102030405.Z", "20250102030405.1234567Z",
    "20250230030405Z", "20251302030405Z", "20250100030405Z", "20250102240000Z", "20250102036000Z",
    "20250102030460Z", "202501020304Z", "20250102030405", "20250102030405+0000", "2025010203040aZ",
    "00000102030405Z", "20250102030405,5Z", "",
  ])
  func `a date that DER or the calendar does not allow is rejected`(_ text: String) {
    #expect(reason(replacing("endDate", with: Self.entry("endDate", 0x18, text))) != nil)
  }

  @Test func `an end before the start is rejected`() {
    #expect(
      reason(replacing("endDate", with: Self.entry("endDate", 0x18, "20250102030404Z")))
        == "the end precedes the start")
  }
}
