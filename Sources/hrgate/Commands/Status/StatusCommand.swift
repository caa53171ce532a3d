import ArgumentParser
import Bluetooth
import DBus
import Foundation
import Glibc
import HealthDataSync

/// How a running gateway stands.
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Print how the gateway that runs stands: its monitors, the pulse, the counts.",
    discussion: .paragraphs(
      """
      Asks the gateway itself, over D-Bus: on your own bus, or on the machine's where the service of the machine runs it. Only its owner and root
      are answered.

      Where it follows the monitors of several people, those of all are printed, with whose each is; with --person (or HRGATE_PERSON) that
      person's alone, without the gateway's counts, which are of all.

      Exit status: 1 where no gateway is on a bus.

      EXAMPLES
        hrgate status
        hrgate status --watch
        hrgate status --person anna
        hrgate status --json | jq '.monitors[].heartRate'
      """))

  @Flag(help: "Print it again whenever it changes, until the gateway ends or you interrupt.")
  var watch = false
  @Flag(help: "Print a JSON object.")
  var json = false
  @Option(help: ArgumentHelp("Whose gateway, for root (default: yours).", valueName: "name"))
  var account: String?
  @Option(
    help: ArgumentHelp(
      "Whose monitors, of hrgate people; owner for the owner's (default: everybody's).", valueName: "name"))
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
      // The user has seen enough.
    } catch let error as BusError {
      await reader.close()
      throw failure(error)
    }
    await reader.close()
  }

  /// The bus's policy lets only the owner and root ask a gateway.
  private func failure(_ error: BusError) -> Failure {
    guard error.name == .accessDenied else { return Failure("the gateway does not answer: \(error)") }
    guard let account else { return Failure("the bus lets you ask no gateway: \(error)") }
    return Failure(
      "the gateway of \(account) answers \(account) and root alone: sudo hrgate status --account \(account)")
  }

  /// The first place at which a gateway answers.
  private func found() async throws -> GatewayPlace {
    let user: uid_t
    if let account {
      guard let owner = UserAccount(named: account) else { throw Failure("there is no user \(account)") }
      user = owner.number
    } else {
      user = geteuid()
    }
    let system = GatewayPlace(systemOf: user)
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
    throw Failure(
      "hrgate is not running\(reasons). Start it with: hrgate run. Its service: hrgate doctor"
    )
  }

  private func follow(_ reader: GatewayReader, _ wanted: StatusPerson) async throws {
    let isJSON = json
    let table = json || !StandardOutput.isTerminal ? nil : LiveTable(isVisible: true)
    // What was last told grows older, also where nothing new is.
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
