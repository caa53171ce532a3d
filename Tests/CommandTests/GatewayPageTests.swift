import Foundation
import HealthDataSync
import HealthSystem
import Synchronization
import Testing

@testable import HealthPage
@testable import TestSupport

/// Tests the page that the gateway serves together with `hrgate page`.
@Suite(.timeLimit(.minutes(30)), .enabled(if: ScriptedDaemon.isInstalled)) struct GatewayPageTests {
  private let folder: TemporaryFolder
  private let store: String
  private let daemon: ScriptedDaemon
  private let environment: [String: String]

  init() throws {
    folder = try TemporaryFolder()
    store = folder.path("s.sqlite")
    daemon = try ScriptedDaemon()
    environment = daemon.environment.merging([
      "XDG_RUNTIME_DIR": folder.path(""), "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder.path("none"))",
    ]) { $1 }
  }

  private func gateway(_ arguments: [String]) throws -> RunningGateway {
    try RunningGateway(
      ["run", "--json", "--store", store, "--commit-interval", "0.2"] + arguments, environment,
      output: folder.path("gateway"))
  }

  /// Opens a session with the address that `hrgate page` prints.
  private func entered() async throws -> PageClient {
    // Wait until the gateway serves the page. Otherwise the command would serve it itself.
    let (control, store) = (PageControl(socketsIn: [folder.path("hrgate")]), store)
    #expect(try await eventually { try await onOwnThread { try control.address(ofStore: store) } != nil })
    let printed = try Command.hrgate("page", ["--no-open", "--store", store], environment: environment)
    #expect(printed.status == 0 && printed.errors.contains("the gateway serves the page"), "\(printed)")
    let address = try #require(URL(string: printed.output.trimmingCharacters(in: .newlines)))
    var client = PageClient(port: try #require(address.port))
    let answer = try await client.get(address.path + "?" + (address.query ?? ""))
    #expect(answer.status == 303)
    client.cookie = answer.fields["set-cookie"].map { String($0.prefix { $0 != ";" }) }
    return client
  }

  /// Response statuses of the concurrent clients.
  private final class Storm: Sendable {
    let statuses = Mutex<[Int: Int]>([:])
    let isOver = Mutex(false)
  }

  private func report(_ client: PageClient) async throws -> ShownReport {
    try await client.get("/api/monitors").decoded(ShownReport.self)
  }

  @Test func `the gateway stores each measurement while many clients request the page`() async throws {
    try await ScriptedDaemon.enrolStrap(inStoreAt: store)
    let gateway = try gateway(["--page"])
    let client = try await entered()
    // Wait until the gateway has subscribed to the strap, because the strap sends nothing before.
    let subscribed: Set = ["following", "silent"]
    #expect(
      try await eventually { subscribed.contains(try await report(client).monitors.first?.state ?? "") })
    let storm = Storm()
    let now = Date()
    let hours = "from=\(Timestamp.text(now - 3600))&to=\(Timestamp.text(now + 3600))"
    let routes = [
      "series?type=heartRate&\(hours)&pixels=1000", "types", "worn",
      "beats?\(hours)&pixels=1000", "summary", "monitors",
    ]
    // Consecutive values differ, because equal ones could be duplicates.
    let rates = (0..<200).map { number -> UInt8 in UInt8(60 + number % 100) }
    let daemon = daemon
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for number in 0..<12 {
        tasks.addTask {
          var turn = number
          while !storm.isOver.withLock({ $0 }) {
            let status = try await client.get("/api/" + routes[turn % routes.count]).status
            storm.statuses.withLock { $0[status, default: 0] += 1 }
            turn += 1
          }
        }
      }
      tasks.addTask {
        for start in stride(from: 0, to: rates.count, by: 20) {
          try await onOwnThread { try daemon.measure(Array(rates[start..<start + 20])) }
        }
        storm.isOver.withLock { $0 = true }
      }
      try await tasks.waitForAll()
    }
    let answered = storm.statuses.withLock { $0 }
    #expect(Set(answered.keys).isSubset(of: [200, 429]) && answered[200] ?? 0 > 0, "\(answered)")
    #expect(try await eventually { try await report(client).gateway.stored == 200 })
    let gatewayReport = try await report(client).gateway
    #expect(gatewayReport.measurements == 200 && gatewayReport.rejected == 0 && gatewayReport.isRunning)
    let stored = try Command.hrgate("stats", "--json", "--store", store).objects().first
    #expect(stored?["count"] as? Int == 200)
    try gateway.end()
    #expect(SocketPath.all(in: folder.path("hrgate")) == [])
  }

  @Test func `a page without a usable socket directory does not stop the gateway`() async throws {
    try await ScriptedDaemon.enrolStrap(inStoreAt: store)
    let place = folder.path("hrgate")
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
    chmod(place, 0o755)
    let gateway = try gateway(["--page"])
    #expect(
      await eventually { gateway.text.contains("\"silent\"") || gateway.text.contains("\"following\"") })
    try daemon.measure([61, 62, 63])
    #expect(
      try await eventually {
        try Command.hrgate("stats", "--json", "--store", store).objects().first?["count"] as? Int == 3
      })
    try gateway.end()
  }
}
