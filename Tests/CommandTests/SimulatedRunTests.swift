import Foundation
import Testing

@testable import TestSupport

/// Tests `hrgate run --simulate`.
@Suite(.timeLimit(.minutes(30))) struct SimulatedRunTests {
  private let folder: TemporaryFolder
  private let store: String
  private let environment: [String: String]

  init() throws {
    folder = try TemporaryFolder()
    store = folder.path("s.sqlite")
    environment = Command.withoutBus(folder).merging([
      "XDG_RUNTIME_DIR": folder.path(""), "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder.path("none"))",
    ]) { $1 }
  }

  private func gateway(_ arguments: [String]) throws -> RunningGateway {
    try RunningGateway(
      ["run", "--json", "--store", store, "--commit-interval", "0.2"] + arguments, environment,
      output: folder.path("gateway"))
  }

  private func monitors() throws -> [String] {
    try Command.hrgate("monitors", "--json", "--store", store).objects()
      .compactMap { $0["name"] as? String }
  }

  private func measured(_ gateway: RunningGateway) throws -> Set<String> {
    Set(
      try gateway.events().filter { $0["event"] as? String == "measurement" }
        .compactMap { $0["monitor"] as? String })
  }

  @Test func `simulated straps are stored like real ones, and every measurement is accounted for`()
    async throws
  {
    let gateway = try gateway(["--simulate", "3", "--measurements"])
    #expect(try await eventually { try measured(gateway).count == 3 })
    try gateway.end()
    let end = try #require(try gateway.events().last)
    #expect(end["event"] as? String == "end")
    let (stored, rejected) = (end["stored"] as? [String: Int], end["rejected"] as? [String: Int])
    let heartRates = stored?["HKQuantityTypeIdentifierHeartRate"] ?? 0
    let lost = (rejected ?? [:]).values.reduce(0, +) + (end["duplicates"] as? Int ?? 0)
    #expect(heartRates >= 3 && heartRates + lost == end["measurements"] as? Int)
    let summary = try Command.hrgate("stats", "--json", "--store", store).objects().first
    #expect(summary?["count"] as? Int == heartRates)
    let states = try gateway.events().filter { $0["event"] as? String == "state" }
    #expect(Set(states.compactMap { $0["state"] as? String }).isSuperset(of: ["away", "following"]))
  }

  @Test func `straps are enrolled until they are forgotten, and a smaller simulation forgets the others`()
    async throws
  {
    let first = try gateway(["--simulate", "3"])
    #expect(await eventually { first.text.contains("following") })
    let names = ["Simulated strap 1", "Simulated strap 2", "Simulated strap 3"]
    #expect(try monitors() == names)
    let forgotten = try Command.hrgate(
      "forget", ["Simulated strap 2", "--store", store], environment: environment)
    // Forgetting a simulated strap does not call bluetoothd, which is missing here. So there is no error.
    #expect(forgotten.status == 0 && forgotten.errors.isEmpty, "\(forgotten.errors)")
    #expect(
      try await eventually {
        let last = try first.events().last { $0["event"] as? String == "enrolled" }
        return (last?["monitors"] as? [Any])?.count == 2
      })
    try first.end()
    let second = try gateway(["--simulate", "1"])
    #expect(await eventually { second.text.contains("following") })
    #expect(try monitors() == ["Simulated strap 1"])
    try second.end()
  }

  @Test func `simulated and real monitors are not mixed`() async throws {
    try await ScriptedDaemon.enrolStrap(inStoreAt: store)
    let result = try Command.hrgate(
      "run", ["--simulate", "1", "--store", store], environment: environment)
    #expect(result.status == 1 && result.errors.contains("real monitor (Strap)"), "\(result)")
    #expect(try monitors() == ["Strap"])
  }

  @Test(arguments: [
    ["--simulate", "0"], ["--simulate", "21"], ["--simulate", "x"],
    ["--simulate", "2", "--adapter", "00:1B:DC:0A:0B:01"], ["--simulate", "2", "--reset-energy"],
  ]) func `wrong usage is refused`(_ arguments: [String]) throws {
    #expect(try Command.hrgate("run", arguments + ["--store", store], environment: [:]).status == 2)
    #expect(!FileManager.default.fileExists(atPath: store))
  }
}
