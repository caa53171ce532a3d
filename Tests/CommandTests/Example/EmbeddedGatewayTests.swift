import Foundation
import HealthKit
import StrapSimulator
import Testing

@testable import TestSupport

@Suite struct EmbeddedGatewayTests {
  private static let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appending(path: "EmbeddedGateway")

  /// Runs the program to its end.
  ///
  /// - Returns: The numbers in the last two lines of output: the counts of the run and of the store.
  private func run(_ arguments: String...) throws -> [[Int]] {
    try lines(arguments).suffix(2).map { line in line.split { !$0.isNumber }.compactMap { Int($0) } }
  }

  private func lines(_ arguments: [String]) throws -> [Substring] {
    let terminal = try PseudoTerminal(
      Self.program, arguments, environment: ["SWIFT_BACKTRACE": "enable=no", "TZ": "UTC"])
    #expect(try terminal.waitForEnd() == 0)
    return terminal.transcript.split(separator: "\r\n")
  }

  @Test func `it hears two simulated straps, pairs with one, and follows that one`() throws {
    let lines = try lines([])
    let straps = [StrapProfile.sample(index: 0), .sample(index: 2)]
    #expect(
      Array(lines.prefix(3)) == [
        "heard: \(straps[0].address) Strap 1", "heard: \(straps[1].address) Strap 3",
        "paired: \(straps[0].address) Simulated Straps",
      ])
    #expect(lines.count == 5)
  }

  @Test func `a simulated strap is followed into an in-memory store, and every measurement is counted`()
    throws
  {
    let lines = try run()
    try #require(lines.map(\.count) == [4, 2])
    let (measurements, stored, duplicates, rejected) = (lines[0][0], lines[0][1], lines[0][2], lines[0][3])
    #expect(measurements == stored + duplicates + rejected)
    #expect(stored > 1000 && duplicates == 0)
    #expect(lines[1][0] == stored)
    // The last gap is open, because the strap was followed when the simulation ended.
    #expect(lines[1][1] >= 1)
  }

  @Test func `another program reads the file, and a second run stores nothing again`()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = folder.path("s.sqlite")
    let first = try run(path)
    let store = try HKHealthStore(configuration: .init(location: .file(path), decision: .everything))
    let heartRates = HKSampleQueryDescriptor(
      predicates: [.quantitySample(type: HKQuantityType(.heartRate))], sortDescriptors: [])
    let stored = try await heartRates.result(for: store)
    #expect(stored.count == first[0][1])
    #expect(Set(stored.map(\.sourceRevision.source.name)) == ["Strap 1"])
    let second = try run(path)
    #expect(second[0] == [first[0][0], 0, first[0][1], first[0][3]])
    #expect(try await heartRates.result(for: store).count == stored.count)
  }
}
