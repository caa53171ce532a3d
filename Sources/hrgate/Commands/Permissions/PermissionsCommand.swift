import ArgumentParser

/// Manages the permissions of applications.
struct PermissionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "permissions",
    abstract: "Decide what applications may save and read.",
    discussion: .paragraphs(
      """
      Applications that use the module HealthKit ask before they save or read. A decision takes effect with the next operation,
      also in running programs. Permissions are enforced by the HealthKit module inside each program, not by the operating system:
      a program that opens the store's file by other means is not restricted.

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
