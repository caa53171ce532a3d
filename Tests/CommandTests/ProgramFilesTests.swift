import Foundation
import Testing

@testable import hrgate

struct ProgramFilesTests {
  /// In memory of the code of these files, in kB.
  private func resident(_ isWanted: (Substring) -> Bool) throws -> Int {
    // Not `String(contentsOfFile:)`, which ends at the first short read: this file has no long ones.
    let map = try #require(try FileHandle(forReadingFrom: URL(filePath: "/proc/self/smaps")).readToEnd())
    var kilobytes = 0
    var isCounted = false
    for line in String(decoding: map, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ", omittingEmptySubsequences: true)
      if words[0] == "Rss:" {
        if isCounted { kilobytes += Int(words[1]) ?? 0 }
      } else if !words[0].hasSuffix(":") {
        isCounted = words[1] == "r-xp" && isWanted(line)
      }
    }
    return kilobytes
  }

  @Test func `what was read of the program's files leaves the memory, and comes back where it is used`()
    throws
  {
    let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let files: [(Substring) -> Bool] = [{ $0.hasSuffix(executable) }, { $0.contains(".so") }]
    // Touched once, so that there is something to give back, also where this test runs alone.
    for file in files { _ = try resident(file) }
    let before = try files.map(resident)
    ProgramFiles.release()
    let after = try files.map(resident)
    for (before, after) in zip(before, after) {
      #expect(after < before, "\(before) kB before, \(after) kB after")
      #expect(after > 0, "this test runs")
    }
  }
}
