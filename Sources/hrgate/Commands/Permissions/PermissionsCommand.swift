import ArgumentParser
import HealthDataSync
import HealthSystem

/// Manages the permissions of applications.
struct PermissionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "permissions",
    abstract: "Show or change what applications may save and read.",
    discussion: .paragraphs(
      """
      Programs that use the HealthKit module ask before they save or read. A decision applies from their next operation on,
      also in programs that are running. The HealthKit module inside each program enforces permissions, not the operating
      system: a program that opens the database file by other means is not restricted.

      EXAMPLES
        hrgate permissions ask --watch
        hrgate permissions list
        hrgate permissions grant org.example.recorder --type heartRate stepCount
        hrgate permissions deny org.example.recorder --type heartRate --read
        hrgate permissions reset org.example.recorder
      """),
    subcommands: [
      PermissionsListCommand.self, PermissionsAskCommand.self, PermissionsGrantCommand.self,
      PermissionsDenyCommand.self, PermissionsResetCommand.self,
    ])
}

/// Prints the decisions.
struct PermissionsListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List what each application may save and read.")

  @Argument(
    help: ArgumentHelp(
      "List only this application, given by its bundle identifier, such as org.example.recorder (default: all).",
      valueName: "bundle-id"))
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
