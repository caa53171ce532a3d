import Foundation
import Testing

@testable import TestSupport

/// One program writes 100 samples a second, one follows, one reads statistics, for a minute.
@Suite struct SharedStoreTests {
  private static let seconds = Int(ProcessInfo.processInfo.environment["HRGATE_SOAK_SECONDS"] ?? "") ?? 60

  @Test(.timeLimit(.minutes(10)))
  func threeProgramsShareAStore() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/health.sqlite"
      let follower = try ClientProcess(["follow", path], output: directory + "/follow")
      while try follower.lines().isEmpty { try await Task.sleep(for: .milliseconds(10)) }
      let reader = try ClientProcess(["statistics", path], output: directory + "/statistics")
      let writer = try ClientProcess(["write", path, "0", "1", "100"], output: directory + "/write")
      try await Task.sleep(for: .seconds(Self.seconds))
      #expect(try writer.end() == 0)
      let written = try writer.numbers()
      #expect(try await eventually { try follower.numbers().last == written.last })
      #expect(try follower.end() == 0)
      #expect(try reader.end() == 0)
      #expect(written.count > Self.seconds * 50, "the writer was held up")
      #expect(try follower.numbers() == written)
      #expect(try follower.lines() == ["ready"] + written.map { "\($0)" })
      let counts = try reader.lines().map { Int($0) }
      #expect(!counts.contains(nil))
      #expect(counts.compactMap { $0 } == counts.compactMap { $0 }.sorted())
      #expect(counts.count > 5 * Self.seconds, "the reader was held up")
    }
  }
}
