import Foundation
import Testing

@testable import HealthPage
@testable import TestSupport

/// Tests hearing, pairing and forgetting monitors on the page, with a scripted bluetoothd.
@Suite(.timeLimit(.minutes(30)), .enabled(if: ScriptedDaemon.isInstalled)) struct PageRadioTests {
  private let folder: TemporaryFolder
  private let store: String
  private let daemon: ScriptedDaemon
  private let environment: [String: String]

  init() throws {
    folder = try TemporaryFolder()
    store = folder.path("s.sqlite")
    daemon = try ScriptedDaemon(areHeard: true, arePaired: false)
    environment = daemon.environment.merging([
      "XDG_RUNTIME_DIR": folder.path(""), "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder.path("none"))",
    ]) { $1 }
    _ = try Command.hrgate("goals", "set", "activeEnergyBurned", "500", "--store", store)
  }

  /// Waits for a report that fulfills the condition and returns it.
  private func report(
    _ page: RunningPage, when isSo: @escaping @Sendable (RadioReport) -> Bool
  ) async throws -> RadioReport {
    func report() async throws -> RadioReport {
      try await page.client.get("/api/radio").decoded(RadioReport.self)
    }
    #expect(try await eventually { isSo(try await report()) })
    return try await report()
  }

  private func enrolled() throws -> [[String: Any]] {
    try Command.hrgate("monitors", "--json", "--store", store).objects()
  }

  @Test func `a strap is heard, paired with its passkey, and forgotten with its bond`() async throws {
    try daemon.order(
      #""do": "reply", "method": "Pair", "before": [{"do": "agent", "method": "RequestPasskey", "expect": 12345}]"#
    )
    let page = try await RunningPage(store, environment, folder)
    #expect(try await page.client.post("/api/radio/hear", "{}").status == 200)
    let heard = try await report(page) { !$0.heard.isEmpty }.heard
    #expect(
      heard == [
        HeardMonitor(
          address: ScriptedDaemon.strap, name: "Strap", rssi: -60, isEnrolled: false, isPaired: false,
          isPrivate: false)
      ])
    // Pairing a monitor ends the scan.
    let wish = #"{"monitor":"\#(ScriptedDaemon.strap)"}"#
    #expect(try await page.client.post("/api/radio/enrol", wish).status == 200)
    let asked = try await report(page) { $0.question != nil || $0.isOver }
    let question = try #require(asked.question, "\(asked)")
    #expect(question.kind == .passkey && asked.sentences.last == "pairing …")
    let answer = #"{"question":\#(question.number),"passkey":"012345"}"#
    #expect(try await page.client.post("/api/radio/answer", answer).status == 200)
    let paired = try await report(page) { $0.isOver }
    #expect(paired.enrolled == KnownMonitor(address: ScriptedDaemon.strap, name: "Strap", person: nil))
    #expect(paired.failure == nil, "\(paired)")
    let known = try #require(try enrolled().first)
    #expect(known["address"] as? String == ScriptedDaemon.strap && known["bonded"] as? Bool == true)
    let shown = try await page.client.get("/api/monitors").object()["monitors"] as? [[String: Any]]
    #expect(shown?.first?["name"] as? String == "Strap")
    #expect(try await page.client.post("/api/monitors/forget", wish).status == 200)
    let forgotten = try await report(page) { $0.isOver }
    #expect(forgotten.kind == .forget && forgotten.failure == nil, "\(forgotten)")
    #expect(try enrolled().isEmpty)
    // bluetoothd has no device left to remove.
    let again = try Command.hrgate(
      "forget", [ScriptedDaemon.strap, "--store", store], environment: environment)
    #expect(again.errors.contains("neither hrgate nor bluetoothd has a monitor"), "\(again)")
    #expect(page.interrupt() == 0)
  }

  @Test func `a wrong or missing passkey gives the error of hrgate pair, and nothing is enrolled`()
    async throws
  {
    let page = try await RunningPage(store, environment, folder)
    for digits in [#","passkey":"000001""#, ""] {
      try daemon.order(
        #""do": "reply", "method": "Pair", "before": [{"do": "agent", "method": "RequestPasskey", "expect": 12345}]"#
      )
      #expect(
        try await page.client.post("/api/radio/enrol", #"{"monitor":"\#(ScriptedDaemon.strap)"}"#).status
          == 200)
      let asked = try await report(page) { $0.question != nil || $0.isOver }
      let question = try #require(asked.question, "\(asked)")
      let answer = #"{"question":\#(question.number)\#(digits)}"#
      #expect(try await page.client.post("/api/radio/answer", answer).status == 200)
      let over = try await report(page) { $0.isOver }
      let reason = digits.isEmpty ? "Nothing was paired" : "Pairing failed"
      #expect(over.enrolled == nil && over.failure?.contains(reason) == true, "\(over)")
    }
    #expect(try enrolled().isEmpty)
    // A monitor that is not enrolled cannot be forgotten, and is not enrolled by trying.
    let stranger = #"{"monitor":"\#(ScriptedDaemon.otherStrap)"}"#
    #expect(try await page.client.post("/api/monitors/forget", stranger).status == 200)
    #expect(try await report(page) { $0.isOver }.failure?.contains("hrgate has no monitor") == true)
    #expect(page.interrupt() == 0)
  }

  @Test func `without a bus the error says what to do`() async throws {
    let page = try await RunningPage(store, Command.withoutBus(folder), folder)
    #expect(try await page.client.post("/api/radio/hear", "{}").status == 200)
    let over = try await report(page) { $0.isOver }
    #expect(over.failure?.contains("systemctl start dbus") == true, "\(over)")
    #expect(page.interrupt() == 0)
  }
}
