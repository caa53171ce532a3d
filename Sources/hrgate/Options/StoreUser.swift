import Foundation
import HealthKit

/// For whom a command runs that only root can run, or to whom root is told more: for whoever called sudo, in
/// whose home the stores and settings are, else for who runs it.
struct StoreUser {
  var settings: Settings
  var home: DataHome
  /// `nil` where the machine's table of users does not have them.
  var account: UserAccount?

  /// - Parameters:
  ///   - environment: This program's. sudo leaves of the caller's what it was told to leave.
  ///   - caller: Who called sudo; `nil` where nobody did.
  /// - Throws: `ConfigurationFault`.
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
  /// Which store of this user's is meant.
  /// - Throws: `ConfigurationFault`; ``Failure`` for a person that there is not.
  func choice(of user: StoreUser) throws -> StoreChoice {
    try StoreChoice(path: path, person: person, user.settings, in: user.home)
  }
}
