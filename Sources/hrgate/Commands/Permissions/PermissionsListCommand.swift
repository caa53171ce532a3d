import ArgumentParser
import HealthDataSync
import HealthSystem

/// Prints the decisions.
struct PermissionsListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the decisions by application and type.")

  @Argument(help: ArgumentHelp("Only the decisions for this application.", valueName: "bundle-id"))
  var application: String?
  @OptionGroup var store: StoreOptions
  @Flag(help: "Print one JSON object for each application and type.")
  var json = false

  func run() async throws {
    for permission in try await store.openSystemForReading().permissions()
    where application == nil || application == permission.bundleIdentifier {
      let record = PermissionLine(permission)
      try StandardOutput.write(json ? JSONLine.text(record) : record.text)
    }
  }
}
