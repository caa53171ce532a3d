import Foundation
import HealthFormats
import Testing

@testable import TestSupport

/// Tests documents with random damage. Equal seeds give equal damage.
@Suite struct DocumentDamageTests {
  private static let whole = """
    <?xml version="1.0" encoding="UTF-8"?><?p i?><!-- c -->
    <ClinicalDocument xmlns="urn:hl7-org:v3" xmlns:x="urn:x" x:a="1" b='&lt;&#65;'><title>T<![CDATA[&]]></title>\
    <recordTarget><patientRole><patient><name>Ä<x:given/></name></patient></patientRole></recordTarget>\
    <author/><custodian/></ClinicalDocument>
    """

  private static let pieces = [
    "<", ">", "&", ";", "\"", "'", "/", "<!--", "-->", "<![CDATA[", "]]>", "<?", "?>", "<!DOCTYPE a [", "]>",
    "<!ENTITY a 'b'>", "&#0;", "&#xD800;", "&amp;", "xmlns", "xmlns:x=\"\"", ":", "x:", "\u{0}", "\u{FFFE}",
    "é",
    "🫀", "=", " ", "<a:b:c/>", "<:a/>", "<a xmlns:y='y' y:z=''/>", "xml:lang='x'", "<xml:a/>",
  ]

  private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ state >> 29
    }
  }

  @Test(arguments: 1...(isLongRun ? 4 : 1) as ClosedRange<UInt64>)
  func `no damage causes a crash`(_ seed: UInt64) {
    var generator = Generator(state: seed)
    for _ in 0..<4_000 {
      var bytes = Array(Self.whole.utf8)
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        let end = min(bytes.count, place + Int.random(in: 0...8, using: &generator))
        let piece = Self.pieces.randomElement(using: &generator) ?? ""
        let isByte = Int.random(in: 0..<4, using: &generator) == 0
        bytes.replaceSubrange(
          place..<end, with: isByte ? [UInt8.random(in: 0...255, using: &generator)] : Array(piece.utf8))
      }
      _ = try? CDASummary(of: Data(bytes))
    }
  }
}
