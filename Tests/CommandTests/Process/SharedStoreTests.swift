import Foundation
import Testing

@testable import TestSupport

/// Tests three programs on one store: one saves 100 samples per second, one follows the changes, and one
/// reads statistics.
///
/// The test does not check speed, because on a busy machine the programs delay each other.
@Suite struct SharedStoreTests {
  private static let duration: Duration = isLongRun ? .seconds(300) : .seconds(15)

  @Test(.timeLimit(.minutes(30)))
  func threeProgramsShareAStore() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/health.sqlite"
      let follower = try ClientProcess(["follow", path], output: directory + "/follow")
      #expect(try await eventually { try !follower.lines().isEmpty })
      let reader = try ClientProcess(["statistics", path], output: directory + "/statistics")
      let writer = try ClientProcess(["write", path, "0", "1", "100"], output: directory + "/write")
      try await Task.sleep(for: Self.duration)
      // Wait for enough samples before the writer ends, because a slow machine may need longer.
      #expect(try await eventually { try writer.numbers().count > 100 })
      #expect(
        try await eventually { Set(try reader.numbers()).count > 2 }, "the reader never saw the store grow")
      #expect(try writer.end() == 0)
      let written = try writer.numbers()
      #expect(try await eventually { try follower.numbers().last == written.last })
      #expect(try await eventually { try reader.numbers().last == written.count })
      #expect(try follower.end() == 0)
      #expect(try reader.end() == 0)
      #expect(try follower.numbers() == written)
      #expect(try follower.lines() == ["ready"] + written.map { "\($0)" })
      let counts = try reader.lines().map { Int($0) }
      #expect(!counts.contains(nil))
      #expect(counts.compactMap { $0 } == counts.compactMap { $0 }.sorted())
    }
  }
}
