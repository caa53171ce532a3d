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

  /// - Throws: ``Failure`` where it is not clear who the owner is, or the machine has no such user.
  func control(_ scope: Scope) throws -> ServiceControl {
    let owner = try scope == .system ? accountOwner : currentOwner
    return ServiceControl(
      scope: scope == .system ? .system(owner: owner.name) : .user, owner: owner, program: try program,
      configuration: Self.environment("XDG_CONFIG_HOME") ?? owner.home + "/.config",
      image: image.map { URL(filePath: $0).path },
      // Without it the machine's bus gives the gateway no name. The users of an image are not known here.
      companions: image == nil && scope == .system
        ? [Self.policyPath(owner): GatewayBusNames.policy(ofUser: owner.number)] : [:])
  }

  private static func policyPath(_ owner: ServiceOwner) -> String {
    "/etc/dbus-1/system.d/\(GatewayBusNames.systemName(ofUser: owner.number)).conf"
  }

  private var currentOwner: ServiceOwner {
    get throws {
      guard let owner = ServiceOwner.current else { throw Failure("this user is in no table of users") }
      return owner
    }
  }

  private var accountOwner: ServiceOwner {
    get throws {
      guard let account else {
        if let name = Self.environment("SUDO_USER"), let owner = ServiceOwner(named: name) { return owner }
        let current = try currentOwner
        // Beside a service of their own, everybody asks for the one that the machine may have for them.
        guard geteuid() != 0 || chosen == .user else {
          throw Failure("whose gateway is it to run? Name the user: hrgate service … --account NAME")
        }
        return current
      }
      // Of the users of an image this machine knows nothing.
      let owner =
        image == nil
        ? ServiceOwner(named: account) : .init(name: account, home: "/home/\(account)", number: 0)
      guard let owner else { throw Failure("there is no user \(account)") }
      guard owner.canBeInstance else {
        throw Failure(
          "\(account) cannot be a part of a unit's name: use hrgate service enable --user instead")
      }
      return owner
    }
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

  private static func environment(_ name: String) -> String? {
    ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }
}
