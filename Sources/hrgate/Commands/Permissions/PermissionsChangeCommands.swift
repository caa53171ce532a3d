import ArgumentParser
import HealthSystem

/// Grants an application permission to save and read.
struct PermissionsGrantCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "grant", abstract: "Allow an application to save and read samples of some types.")

  @OptionGroup var permission: PermissionOptions
  @OptionGroup var store: StoreOptions

  func validate() throws {
    try permission.validateGrant()
  }

  func run() async throws {
    try await permission.set(true, in: store.openExistingSystem())
  }
}

/// Denies an application permission to save and read.
struct PermissionsDenyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deny", abstract: "Forbid an application to save and read samples of some types.",
    discussion:
      "The application can still read its own samples. It cannot tell that reading was denied: it finds no other data. "
      + "For a type whose samples you allow one by one, such as vision prescriptions, the permissions for all of them are withdrawn."
  )

  @OptionGroup var permission: PermissionOptions
  @OptionGroup var store: StoreOptions

  func run() async throws {
    try await permission.set(false, in: store.openExistingSystem())
  }
}

/// Removes decisions.
struct PermissionsResetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset", abstract: "Forget what you allowed or denied an application, so that it asks again."
  )

  @Argument(
    help: ArgumentHelp(
      "The application's bundle identifier, such as org.example.recorder.", valueName: "bundle-id"))
  var application: String
  @Option(
    name: .customLong("type"), parsing: .upToNextOption,
    help: ArgumentHelp(
      "Forget only the decisions on these types of samples, such as heartRate stepCount (default: all types).",
      valueName: "type"),
    transform: ProtectedTypeArgument.read)
  var types: [ProtectedTypeArgument] = []
  @OptionGroup var store: StoreOptions

  func run() async throws {
    let count = try await store.openExistingSystem().resetPermissions(
      on: types.isEmpty ? nil : types.map(\.type), for: application)
    guard count > 0 else {
      throw CommandError(
        "nothing was allowed or denied to \(application.plain); list the permissions with: hrgate permissions list"
      )
    }
  }
}
