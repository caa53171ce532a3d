import Bluetooth
import Foundation
import Gateway
import HealthKit
import HealthSystem
import Ingestion
import StrapSimulator
import Testing

@testable import TestSupport

/// The same beats give exactly the same results whether they come from a live gateway, a replay of the
/// packets, an import, or a file of intervals.
@Suite(.timeLimit(.minutes(30))) struct SameBeatsTests {
  private let folder: TemporaryFolder
  private static let seed: UInt64 = 7
  private static let minutes = 17
  private static let strap = StrapProfile.sample(index: 0)
  /// The start of the session. It is neither a whole second nor the start of a window.
  private static let start = ReceiptTime(microsecondsSince1970: 1_767_261_777_123_456)
  private static let startText = "2026-01-01T10:02:57.123456Z"

  init() throws { folder = try TemporaryFolder() }

  /// Returns a store that a gateway wrote while the strap was worn.
  private func live() async throws -> String {
    let path = folder.path("live.sqlite")
    let registry = try MonitorRegistry(at: .file(path))
    try await registry.enrol(
      EnrolledMonitor(
        address: Self.strap.address, name: Self.strap.name, isBonded: false, enrolled: Self.start))
    var policy = LivePolicy()
    policy.derivesFigures = false
    let central = SimulatedCentral(
      straps: [Self.strap], duration: .seconds(60 * Self.minutes), seed: Self.seed, start: Self.start)
    try await HeartRateGateway(registry, central: central, policy: policy).run()
    return path
  }

  /// Returns a store that was written by replaying the packets of the same session.
  private func replayed() throws -> String {
    let (log, path) = (folder.path("strap.btsnoop"), folder.path("replayed.sqlite"))
    _ = try Command.hrgate(
      "simulate", "--wearers", "ramp", "--duration", "\(Self.minutes)m", "--seed", "\(Self.seed)", "--start",
      Self.startText, "-o", log)
    #expect(try Command.hrgate("replay", log, "--store", path).status == 0)
    return path
  }

  private func exported(_ store: String, _ arguments: String..., to name: String) throws -> String {
    let path = folder.path(name)
    let result = try Command.hrgate(["export", "--store", store, "-o", path] + arguments)
    #expect(result.status == 0, "\(result.errors)")
    return path
  }

  /// Returns the lines of `hrgate hrv --json` without their sources, to compare them as text.
  private func lines(_ arguments: [String]) throws -> [String] {
    try Command.hrgate(["hrv", "--json"] + arguments).lines.map {
      $0.replacing(#/"source":"[^"]*"/#, with: "")
    }
  }

  @Test func `a live run, its replay, an import and files of intervals give one and the same`() async throws {
    let (live, replayed) = (try await live(), try replayed())
    let imported = folder.path("imported.sqlite")
    let export = try exported(replayed, "--format", "apple-health-xml", to: "export.xml")
    #expect(try Command.hrgate("import", export, "--store", imported).status == 0)
    let first = try #require(try firstBeat(of: live))
    let file = try exported(live, "--format", "rr", "--for", "kubios", to: "kubios.txt")
    let questions: [[String]] = [
      [], ["--window", "all"], ["--method", "welch", "--correct"], ["--window", "2m", "--every", "30s"],
    ]
    for options in questions {
      let expected = try lines(["--store", live] + options)
      #expect(expected.count >= (options.contains("all") ? 1 : 3))
      #expect(expected.contains { $0.contains("\"dfaAlpha1\"") && $0.contains("\"lf\"") })
      for asked in [["--store", replayed], ["--store", imported], [file, "--start", first]] {
        #expect(try lines(asked + options) == expected, "\(asked)")
      }
    }
  }

  /// Returns the time of the first beat in a store.
  private func firstBeat(of path: String) throws -> String? {
    let samples = try Command.hrgate(
      "samples", "--store", path, "--type", "heartbeatSeries", "--limit", "1", "--json"
    ).objects()
    return samples.first?["start"] as? String
  }
}
