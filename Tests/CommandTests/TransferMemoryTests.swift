import Foundation
import Testing

@testable import TestSupport

/// An export of years need not fit into memory: there and back it takes as much as one of weeks.
@Suite struct TransferMemoryTests {
  private static let generator = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Benchmarks/make-apple-health-export").standardized.path
  /// The shorter is long enough for whatever is held at a time to be full.
  private static let megabytes = (short: 6, long: isLongRun ? 100 : 14)
  /// Less than the longer text is longer by.
  private static let spread = 5 * 1024

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// - Returns: The greatest resident set, in KiB.
  private func memory(of arguments: String...) throws -> Int {
    let measured = """
      import resource, subprocess, sys
      done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
      print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
      sys.exit(done.returncode)
      """
    let result = try Command.tool("python3", ["-c", measured, Command.hrgate.path] + arguments)
    try #require(result.status == 0, "\(result)")
    return try #require(Int(result.output.trimmingCharacters(in: .whitespacesAndNewlines)))
  }

  /// What an import of so much takes, and an export of what it stored.
  private func thereAndBack(megabytes: Int) throws -> [Int] {
    let (text, store) = (folder.path("\(megabytes).xml"), folder.path("\(megabytes).sqlite"))
    try Command.tool("python3", [Self.generator, "\(megabytes)"]).output.write(
      toFile: text, atomically: false, encoding: .utf8)
    return [
      try memory(of: "import", text, "--store", store),
      try memory(of: "export", "--format", "apple-health-xml", "-o", text + ".back", "--store", store),
    ]
  }

  @Test func `a long export takes no more memory than a short one, there or back`() throws {
    let (short, long) = (
      try thereAndBack(megabytes: Self.megabytes.short), try thereAndBack(megabytes: Self.megabytes.long)
    )
    for (short, long) in zip(short, long) {
      #expect(long < short + Self.spread, "\(short) KiB, and of more \(long) KiB")
      #expect(long < 100 * 1024)
    }
  }
}
