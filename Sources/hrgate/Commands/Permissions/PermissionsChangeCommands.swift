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
    commandName: "deny", abstract: "Do not let an application save and read types.",
    discussion:
      "It keeps access to what it saved. To it, a denied type looks like one without other data. "
      + "Of a type that is permitted object by object, what was chosen is taken back."
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
    help: ArgumentHelp("The types (default: all).", valueName: "type"))
  var types: [ProtectedTypeArgument] = []
  @OptionGroup var store: StoreOptions

  func run() async throws {
    let count = try await store.openExistingSystem().resetPermissions(
      on: types.isEmpty ? nil : types.map(\.type), for: application)
    guard count > 0 else { throw Failure("nothing of this was decided for \(application.plain)") }
  }
}
