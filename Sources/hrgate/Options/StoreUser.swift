import Foundation
import HealthKit

/// The user whose stores and settings a command uses under sudo: the user who called sudo, otherwise the
/// current user.
struct StoreUser {
  var settings: Settings
  var home: DataHome
  /// The account; `nil` if the user database has no such user.
  var account: UserAccount?

  /// Determines the user.
  ///
  /// - Parameters:
  ///   - environment: The environment of this process. sudo removes some of the caller's variables.
  ///   - caller: The user who called sudo; `nil` without sudo.
  /// - Throws: `ConfigurationError` if a settings file is invalid.
  init(
    _ environment: [String: String] = ProcessInfo.processInfo.environment,
    caller: SudoCaller? = SudoCaller.current
  ) throws {
    guard let caller, let owner = UserAccount(named: caller.name) else {
      settings = try Settings(environment: environment)
      home = DataHome(of: environment, home: HomeFolder.path)
      account = .current
      return
    }
    let theirs = environment.merging(["HOME": owner.home]) { $1 }
    settings = try Settings(environment: theirs)
    home = DataHome(of: theirs, home: owner.home)
    account = owner
  }
}

extension StoreOptions {
  /// Returns the chosen store of a user.
  ///
  /// - Throws: `ConfigurationError`, or ``CommandError`` for an unknown person.
  func choice(of user: StoreUser) throws -> StoreChoice {
    try StoreChoice(path: path, person: person, user.settings, in: user.home)
  }
}
