import Foundation
import Testing

@testable import HealthPage
@testable import TestSupport

/// What is packed is what `gzip` unpacks.
@Suite(.timeLimit(.minutes(30))) struct GzipTests {
  private func unpacked(_ bytes: [UInt8]) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    let (input, output) = (try folder.file("in", bytes), try folder.file("out", []))
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["gzip", "-dc"]
    process.standardInput = FileHandle(forReadingAtPath: input)
    process.standardOutput = FileHandle(forWritingAtPath: output)
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return [UInt8](try Data(contentsOf: URL(filePath: output)))
  }

  @Test(arguments: 0..<(isLongRun ? 300 : 12) as Range<UInt64>)
  func `octets of any kind come back`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    // Few kinds of octets repeat themselves, and many do not.
    let kinds = [1, 2, 5, 90, 256].randomElement(using: &generator) ?? 1
    let count = [0, 1, 2, 3, 4, 258, 259, 700, 40_000].randomElement(using: &generator) ?? 0
    let input = (0..<count).map { _ in UInt8(Int.random(in: 0..<kinds, using: &generator)) }
    #expect(try unpacked(Gzip.packed(input)) == input, "\(count) of \(kinds) kinds")
  }

  @Test func `a repetition is found as far back as it may lie, and no farther`() throws {
    let marks: [UInt8] = Array("a mark that comes twice".utf8)
    for distance in [marks.count, 32_767, 32_768, 32_769] {
      var generator = SeededGenerator(seed: UInt64(distance))
      let between = (0..<distance - marks.count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      #expect(try unpacked(Gzip.packed(marks + between + marks)) == marks + between + marks)
    }
  }
}
