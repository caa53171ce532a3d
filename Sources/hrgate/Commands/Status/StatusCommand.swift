import ArgumentParser
import Bluetooth
import DBus
import Foundation
import Glibc
import HealthDataSync

/// Shows the status of a running gateway.
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show what hrgate run is doing: monitors, heart rates, counters.",
    discussion: .paragraphs(
      """
      Reads the status of the running gateway (hrgate run) over D-Bus: on the session bus, or on the system bus if the gateway is a system
      service. Only the user who runs it and root have access.

      If the gateway records several people, all monitors are shown with their person. With --person (or HRGATE_PERSON) only that person's
      monitors are shown, without the gateway's counters, which are for all people.

      Exit status: 1 if no gateway is running.

      EXAMPLES
        hrgate status
        hrgate status --watch
        hrgate status --person anna
        hrgate status --json | jq '.monitors[].heartRate'
      """))

  @Flag(help: "Update the output on each change, until hrgate run ends or you press Ctrl-C.")
  var watch = false
  @Flag(help: "Print the status as one JSON object.")
  var json = false
  @Option(
    help: ArgumentHelp(
      "Only for root: show the gateway (hrgate run) of this Linux user, given by login name (default: root's own gateway).",
      valueName: "name"))
  var account: String?
  @Option(
    help: ArgumentHelp(
      "Show only the monitors of this person, a name from 'hrgate people', or owner for your own (default: all).",
      valueName: "name"))
  var person: String?

  func run() async throws {
    let wanted = try StatusPerson(person, ofAnother: account != nil)
    let place = try await found()
    let reader = try await GatewayReader(on: place.bus, of: place.name)
    do {
      if watch {
        try await follow(reader, wanted)
      } else {
        try Self.show(wanted.part(of: await reader.status()), json)
      }
    } catch is CancellationError {
      // Ctrl-C: stop without an error.
    } catch let error as BusError {
      await reader.close()
      throw failure(error)
    }
    await reader.close()
  }

  /// Explains a bus error. The bus policy allows only the owner and root to query a gateway.
  private func failure(_ error: BusError) -> CommandError {
    guard error.name == .accessDenied else { return CommandError("hrgate run does not answer: \(error)") }
    guard let account else { return CommandError("D-Bus does not allow you to query hrgate run: \(error)") }
    return CommandError(
      "only \(account) and root may see the status of \(account)'s hrgate run; use: sudo hrgate status --account \(account)"
    )
  }

  /// Returns the first bus name at which a gateway runs.
  private func found() async throws -> GatewayBusLocation {
    let user: uid_t
    if let account {
      guard let owner = UserAccount(named: account) else {
        throw CommandError("this machine has no user \(account); list the users with: getent passwd")
      }
      user = owner.number
    } else {
      user = geteuid()
    }
    let system = GatewayBusLocation(systemOf: user)
    var refusals: [String] = []
    for place in account == nil ? [.session, system] : [system] {
      do throws(BusError) {
        let reader = try await GatewayReader(on: place.bus, of: place.name)
        let isThere = try await reader.isThere()
        await reader.close()
        if isThere { return place }
      } catch {
        refusals.append("\(error)")
      }
    }
    let reasons = refusals.isEmpty ? "" : " (\(refusals.joined(separator: "; ")))"
    throw CommandError(
      "hrgate is not running\(reasons). Start it with: hrgate run. Check its service with: hrgate doctor"
    )
  }

  private func follow(_ reader: GatewayReader, _ wanted: StatusPerson) async throws {
    let isJSON = json
    let table = json || !StandardOutput.isTerminal ? nil : LiveTable(isVisible: true)
    // Redraw each second, because the ages of the values change without an update.
    let ageing = Task {
      while !Task.isCancelled {
        table?.redraw()
        try await Task.sleep(for: .seconds(1))
      }
    }
    defer { ageing.cancel() }
    try await untilInterrupted(Interruption()) {
      try await reader.follow { whole in
        let status = wanted.part(of: whole)
        guard let table else { return try Self.show(status, isJSON) }
        table.show { _ in StatusTable.lines(status, now: Self.now) }
      }
    }
    try table?.end()
  }

  private static func show(_ status: StatusPerson.Part, _ isJSON: Bool) throws {
    let lines =
      try isJSON
      ? [JSONLine.text(StatusLine(status, now: Self.now))] : StatusTable.lines(status, now: Self.now)
    for line in lines { try StandardOutput.write(line) }
    try StandardOutput.flush()
  }

  private static var now: UInt64 { UInt64(clamping: SystemClocks.now().wall.microsecondsSince1970) }
}
