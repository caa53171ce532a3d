internal import Foundation

/// Enables, disables and asks for the gateway's service.
public struct ServiceControl: Sendable {
  public var scope: ServiceScope
  public var owner: ServiceOwner
  /// The path of `hrgate`.
  public var program: String
  /// The user's folder of configuration, `$XDG_CONFIG_HOME`.
  public var configuration: String
  /// The folder of an image whose root directory it is; nothing is started there. `nil` for this machine.
  public var image: String?
  /// What else the machine's service needs: texts by their paths.
  public var companions: [String: String]

  public init(
    scope: ServiceScope, owner: ServiceOwner, program: String, configuration: String, image: String? = nil,
    companions: [String: String] = [:]
  ) {
    self.companions = companions
    self.scope = scope
    self.owner = owner
    self.program = program
    self.configuration = configuration
    self.image = image
  }

  /// What there is to do to have the service start by itself from now on, and at once.
  ///
  /// - Throws: ``ServiceRefusal``: no systemd answers, or a service could not run the program.
  public func enabling() throws -> [ServiceStep] {
    try requireManager()
    var steps: [ServiceStep] = []
    if let write = try writingUnit() { steps.append(write) }
    if case .system = scope {
      if let write = writingHome() { steps.append(write) }
      for (place, text) in companions.sorted(by: { $0.key < $1.key }) {
        let there = content(path(place))
        if there != text { steps.append(.write(path: path(place), text: text, replaces: there != nil)) }
      }
      // As the owner, in whose folders root has no business.
      if image == nil {
        steps.append(
          .run(["runuser", "-u", owner.name, "--", "mkdir", "-p", "-m", "0700", "--", owner.storeFolder]))
      }
    }
    if steps.contains(where: { if case .write = $0 { true } else { false } }), image == nil {
      steps.append(.run(systemctl(["daemon-reload"])))
    }
    steps.append(.run(systemctl(image == nil ? ["enable", "--now", scope.unit] : ["enable", scope.unit])))
    // One that runs already has the old unit, and perhaps an old program.
    let replaces = steps.contains { if case .write(_, _, replaces: true) = $0 { true } else { false } }
    if image == nil, replaces { steps.append(.run(systemctl(["try-restart", scope.unit]))) }
    return steps
  }

  /// What there is to do to have the service end, and start no more. Its files stay: they start nothing.
  ///
  /// - Throws: ``ServiceRefusal``.
  public func disabling() throws -> [ServiceStep] {
    try requireManager()
    return [.run(systemctl(image == nil ? ["disable", "--now", scope.unit] : ["disable", scope.unit]))]
  }

  // MARK: - Files

  private func path(_ path: String) -> String { (image ?? "") + path }

  private func content(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }

  /// A package's file serves as it is; one that was written here is brought up to date.
  private func writingUnit() throws -> ServiceStep? {
    let folders = scope.folders(configuration: configuration)
    let own = path("\(folders.own)/\(scope.file)")
    let there = content(own)
    if there == nil, folders.packages.contains(where: { content(path("\($0)/\(scope.file)")) != nil }) {
      return nil
    }
    if case .system = scope, let hidden = Self.hidden.first(where: { program.hasPrefix($0) }) {
      throw ServiceRefusal(
        "a system service does not see \(hidden), where this program is: install it elsewhere first: "
          + "sudo install -m 755 \(program) /usr/local/bin/hrgate")
    }
    let text = scope.text(program: program)
    return there == text ? nil : .write(path: own, text: text, replaces: there != nil)
  }

  /// What the unit hides from the service.
  private static let hidden = ["/home/", "/root/", "/run/user/", "/tmp/", "/var/tmp/"]

  /// For a home that is none of those that the unit's own text names.
  private func writingHome() -> ServiceStep? {
    let place = path("/etc/systemd/system/\(scope.unit).d/home.conf")
    let there = content(place)
    guard !owner.hasUsualHome else { return nil }
    let text = """
      [Service]
      BindPaths=
      BindPaths=\(Self.escaped(owner.storeFolder))
      BindReadOnlyPaths=
      BindReadOnlyPaths=-\(Self.escaped(owner.configurationFolder))

      """
    return there == text ? nil : .write(path: place, text: text, replaces: there != nil)
  }

  private static func escaped(_ path: String) -> String { path.replacing("%", with: "%%") }

  // MARK: - systemctl

  func systemctl(_ arguments: [String]) -> [String] {
    var command = ["systemctl"]
    if let image { command.append("--root=\(image)") }
    if case .user = scope { command.append("--user") }
    return command + arguments
  }

  /// - Throws: ``ServiceRefusal`` where no manager answers.
  func requireManager() throws {
    guard image == nil else { return }
    let outcome: SystemProgram.Outcome
    do {
      outcome = try SystemProgram.run(systemctl(["show-environment"]))
    } catch {
      throw ServiceRefusal("there is no systemd here (\(error)). \(Self.remedy)")
    }
    guard outcome.status == 0 else {
      throw ServiceRefusal("systemd does not answer (\(outcome.complaint)). \(Self.remedy)")
    }
  }

  private static let remedy =
    "Have `hrgate run --wait` started by whatever starts programs here: it needs no other service"
}

extension ServiceControl {
  /// - Returns: What the user has to know where their services end when they log out; `nil` where they do
  ///   not, or nobody tells.
  public func lingerNote() -> String? {
    let command = ["loginctl", "show-user", owner.name, "--property=Linger", "--value"]
    guard let outcome = try? SystemProgram.run(command), outcome.status == 0, outcome.output == "no\n" else {
      return nil
    }
    return "it ends when you log out; to have it run from boot on: loginctl enable-linger"
  }
}
