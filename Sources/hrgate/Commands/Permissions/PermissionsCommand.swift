import ArgumentParser

/// Where the user decides what applications may save and read.
struct PermissionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "permissions",
    abstract: "Decide what applications may save and read.",
    discussion: .paragraphs(
      """
      Applications that use the module HealthKit ask before they save or read; a decision holds from the next operation on, also
      in programs that are running. This is a promise that these programs keep, all under one user, and not a wall: a program that
      opens the store's file by other means is not held back.

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
