import Foundation
import HealthKit
import ProgramSettings
import Systemd

/// Finds out where a user's programs find the store and what is set, so that a service finds the same.
struct OwnerPlaces {
  let owner: ServiceOwner
  /// Where files are looked for; empty for this machine.
  let root: String

  /// The variables that decide it.
  static let variables = [Setting.store.variable, "XDG_CONFIG_HOME", "XDG_DATA_HOME"]

  /// Where nothing is set.
  var usual: ServicePlaces {
    let store = DataHome(of: [:], home: owner.home).ownersStore
    return ServicePlaces(storeFolder: Self.folder(of: store), configuration: configuration([:]))
  }

  /// `$XDG_CONFIG_HOME`.
  /// - Parameter environment: Of the owner's programs.
  func configuration(_ environment: [String: String]) -> String {
    Settings.userFolder(environment: known(environment))
  }

  /// - Parameters:
  ///   - environment: Of the owner's programs.
  ///   - manager: What the service's manager gives it of that.
  /// - Throws: `ConfigurationFault` for what the owner, or the machine, has set wrongly.
  func found(
    _ environment: [String: String], given manager: [String: String]
  ) throws(ConfigurationFault) -> ServicePlaces {
    let known = known(environment)
    let files = [Settings.userFile(environment: known), Settings.systemFile].map { root + $0 }
    let settings = try Settings(environment: known, files: files)
    let store = settings.text(.store) ?? DataHome(of: known, home: owner.home).ownersStore
    return ServicePlaces(
      storeFolder: Self.folder(of: store), configuration: configuration(environment),
      variables: known.filter { $0.key != "HOME" && manager[$0.key] != $0.value })
  }

  /// Of the variables those that decide it.
  private func known(_ environment: [String: String]) -> [String: String] {
    environment.filter { Self.variables.contains($0.key) && !$0.value.isEmpty }
      .merging(["HOME": owner.home]) { $1 }
  }

  private static func folder(of store: String) -> String {
    URL(filePath: store).deletingLastPathComponent().standardized.path
  }
}
