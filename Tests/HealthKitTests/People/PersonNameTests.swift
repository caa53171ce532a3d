import Foundation
import Testing

@testable import HealthKit

@Suite struct PersonNameTests {
  @Test(arguments: [
    "anna", "Anna Maria", "O'Neill", "Jean-Luc", "Žofie", "Иван", "花子", "अनु", "a", "x_1", "7",
    String(repeating: "a", count: 64),
  ])
  func `letters and digits of any language are allowed`(text: String) throws {
    #expect(try PersonName(text).text == text.precomposedStringWithCanonicalMapping)
  }

  @Test(arguments: [
    "", ".", "..", "a/b", "/a", "a\\b", ".a", "-a", " a", "a ", "a  b", "a\nb", "a\0b", "a\u{7}", "a:b", "~",
    "a\u{200B}b", "a\u{200D}b", "a\u{202E}b", "a\u{FE0F}", "\u{301}a", "a\u{AD}b", "ㅤ", "a\u{115F}b", "👩",
    "$a", "*",
    String(repeating: "a", count: 65), String(repeating: "花", count: 67),
  ])
  func `path characters and invisible characters are not allowed`(text: String) {
    #expect(throws: PersonError.invalidName(text)) { try PersonName(text) }
  }

  @Test func `names that differ in case or Unicode composition are the same`() throws {
    #expect(try PersonName("JOSÉ") == PersonName("jose\u{301}"))
    #expect(try Set([PersonName("Anna"), PersonName("anna"), PersonName("Anne")]).count == 2)
    #expect(try PersonName("OWNER").isOwner && !PersonName("owner1").isOwner)
    #expect(try PersonName("jose\u{301}").text.unicodeScalars.count == 4)
  }

  @Test func `the error for an invalid name contains no control characters`() {
    let fault = PersonError.invalidName("\u{1B}[2J\u{202E}x")
    #expect(fault.description.hasPrefix("?[2J?x is not a valid name"))
  }
}
