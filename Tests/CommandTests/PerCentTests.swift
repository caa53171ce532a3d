import HealthKit
import HealthSystem
import Testing

@testable import TestSupport

/// Tests that shares are percentages for users and fractions for programs.
@Suite struct PerCentTests {
  @Test func `oxygen saturation is printed in percent, and as a fraction with --json`() async throws {
    let folder = try TemporaryFolder()
    let store = folder.path("s.sqlite")
    let start = Date(timeIntervalSince1970: 1_700_000_000)
    let samples = [0.97, 0.955].enumerated().map { place, share in
      HKQuantitySample(
        type: HKQuantityType(.oxygenSaturation),
        quantity: HKQuantity(unit: .percent(), doubleValue: share), start: start + Double(place),
        end: start + Double(place))
    }
    try await SystemStore(at: store).healthStore.save(samples)
    func output(_ command: String, _ arguments: [String] = []) throws -> String {
      try Command.hrgate(
        command, ["--type", "oxygenSaturation", "--store", store] + arguments, environment: [:]
      )
      .output
    }
    #expect(try output("stats").contains("min 95.5, average 96.3, max 97.0 %"))
    #expect(try output("samples").contains("95.5 %"))
    #expect(try output("stats", ["--json"]).contains("\"min\":0.955"))
  }
}
