import ArgumentParser
import Gateway
import HealthDataSync
import HealthSystem

/// Prints the enrolled monitors.
struct MonitorsListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Print the enrolled monitors.")

  @OptionGroup var store: StoreOptions
  @Flag(help: "Print one JSON object for each monitor.")
  var json = false

  func run() async throws {
    let registry = try await MonitorRegistry(store.openForReading())
    let enrolled = try await registry.monitors()
    // Queried last: if the gateway ends meanwhile, its monitors are shown as stopped.
    let hasGateway = registry.hasGateway
    let monitors = enrolled.map { MonitorView($0, hasGateway: hasGateway) }
    if json {
      for monitor in monitors { try StandardOutput.write(JSONLine.text(monitor)) }
    } else if monitors.isEmpty {
      StandardError.tell("no monitor is enrolled")
    } else {
      for line in MonitorTable.lines(monitors) { try StandardOutput.write(line) }
    }
  }
}
