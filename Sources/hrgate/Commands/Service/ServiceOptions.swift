import ArgumentParser
import Foundation
import GatewayBus
import Glibc
import Systemd

/// Which of the two services.
struct ServiceOptions: ParsableArguments {
  enum Scope: String, EnumerableFlag {
    case system
    case user

    static func help(for value: Scope) -> ArgumentHelp? {
      switch value {
      case .system: "The machine's service: from boot on (default for root)."
      case .user: "The service of your own manager: while you are logged in (default for everybody else)."
      }
    }
  }

  @Flag(exclusivity: .exclusive) var scope: Scope?
  @Option(
    help: ArgumentHelp(
      "Whose gateway the machine's service runs (default: who called sudo).", valueName: "name"))
  var account: String?
  @Option(
    help: ArgumentHelp(
      "Do it in the image of a machine that stands in this folder; nothing is started there.",
      valueName: "folder"), completion: .directory)
  var image: String?

  func validate() throws {
    if scope == .user, account != nil { throw ValidationError("--account is for the machine's service.") }
    if image != nil, chosen != .system { throw ValidationError("--image is for the machine's service.") }
  }

  /// What is meant where nothing was said: root has no gateway of its own.
  var chosen: Scope { scope ?? (geteuid() == 0 ? .system : .user) }

  /// - Parameter findsStore: Whether it is found out where the owner's store is, which enabling has to know.
  /// - Throws: ``Failure`` where it is not clear who the owner is, or the machine has no such user;
  ///   `ConfigurationFault` where what the owner has set says of no store where it is.
  func control(_ scope: Scope, findsStore: Bool = false) throws -> ServiceControl {
    let owner = try owner(scope)
    let image = image.map { URL(filePath: $0).path }
    let places = OwnerPlaces(owner: owner, root: image ?? "")
    var control = ServiceControl(
      scope: .user, owner: owner, program: try program, places: places.usual, image: image)
    let manager = (try? control.managerVariables()) ?? [:]
    let environment = manager.merging(ownEnvironment(owner)) { $1 }
    control.places.configuration = places.configuration(environment)
    if findsStore {
      // The machine's manager knows nothing of a user's variables.
      control.places = try places.found(environment, given: scope == .user ? manager : [:])
    }
    guard scope == .system else { return control }
    control.scope = .system(owner: owner.name)
    // Without it the machine's bus gives the gateway no name.
    control.companions = [Self.policyPath(owner): GatewayBusNames.policy(ofUser: owner.number)]
    return control
  }

  /// The other service of the same owner; `nil` for whom the machine can have none.
  func other() throws -> (control: ServiceControl, scope: Scope)? {
    let scope: Scope = chosen == .system ? .user : .system
    guard try scope == .user || named(scope).canBeInstance else { return nil }
    return (try control(scope), scope)
  }

  private static func policyPath(_ owner: ServiceOwner) -> String {
    "/etc/dbus-1/system.d/\(GatewayBusNames.systemName(ofUser: owner.number)).conf"
  }

  /// This program's environment, where it is the owner's: sudo leaves of it what it was told to leave.
  private func ownEnvironment(_ owner: ServiceOwner) -> [String: String] {
    guard image == nil, owner.isCurrent || SudoCaller.current?.name == owner.name else { return [:] }
    return ProcessInfo.processInfo.environment
  }

  private func owner(_ scope: Scope) throws -> ServiceOwner {
    let owner = try named(scope)
    guard scope == .user || owner.canBeInstance else {
      throw Failure(
        "\(owner.name.plain) cannot be a part of a unit's name: use hrgate service enable --user instead")
    }
    return owner
  }

  /// Who is named, else who called sudo, else who runs this.
  private func named(_ scope: Scope) throws -> ServiceOwner {
    if let name = account ?? SudoCaller.current?.name {
      guard let image else {
        guard let owner = ServiceOwner(named: name) else { throw Failure("there is no user \(name.plain)") }
        return owner
      }
      guard let owner = ServiceOwner(named: name, inImage: URL(filePath: image).path) else {
        throw Failure("the image \(image.plain) has no user \(name.plain): make the user there first")
      }
      return owner
    }
    // Beside a service of their own, everybody asks for the one that the machine may have for them.
    guard image == nil, geteuid() != 0 || scope == .user || chosen == .user else {
      throw Failure("whose gateway is it to run? Name the user: hrgate service … --account NAME")
    }
    guard let owner = ServiceOwner.current else { throw Failure("this user is in no table of users") }
    return owner
  }

  /// This program; in an image, of which this machine's folders say nothing, where one is installed there.
  private var program: String {
    get throws {
      if let image {
        let places = ["/usr/bin/hrgate", "/usr/local/bin/hrgate"]
        return places.first { FileManager.default.isExecutableFile(atPath: image + $0) } ?? places[1]
      }
      do {
        return try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      } catch {
        throw Failure("where this program is cannot be found out: \(error.localizedDescription)")
      }
    }
  }
}
