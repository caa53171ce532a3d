import ArgumentParser
import HealthSystem

/// Lets an application save and read.
struct PermissionsGrantCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "grant", abstract: "Let an application save and read types.")

  @OptionGroup var permission: PermissionOptions
  @OptionGroup var store: StoreOptions

  func validate() throws {
    try permission.validateGrant()
  }

  func run() async throws {
    try await permission.set(true, in: store.openExistingSystem())
  }
}

/// Takes permission away.
struct PermissionsDenyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deny", abstract: "Stop an application from saving and reading types.",
    discussion:
      "It can still read what it saved itself. To it, a denied type looks as if it had no other data. "
      + "For a type that is permitted object by object, the chosen objects are withdrawn."
  )

  @OptionGroup var permission: PermissionOptions
  @OptionGroup var store: StoreOptions

  func run() async throws {
    try await permission.set(false, in: store.openExistingSystem())
  }
}

/// Forgets what was decided.
struct PermissionsResetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset", abstract: "Forget what was decided, so that the application asks again.")

  @Argument(help: ArgumentHelp("The application's bundle identifier.", valueName: "bundle-id"))
  var application: String
  @Option(
    name: .customLong("type"), parsing: .upToNextOption,
    help: ArgumentHelp("The types (default: all).", valueName: "type"), transform: ProtectedTypeArgument.read)
  var types: [ProtectedTypeArgument] = []
  @OptionGroup var store: StoreOptions

  func run() async throws {
    let count = try await store.openExistingSystem().resetPermissions(
      on: types.isEmpty ? nil : types.map(\.type), for: application)
    guard count > 0 else { throw Failure("there is no such decision for \(application.plain)") }
  }
}
