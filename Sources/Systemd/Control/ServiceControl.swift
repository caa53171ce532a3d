internal import Foundation

/// Enables, disables and asks for the gateway's service.
public struct ServiceControl: Sendable {
  public var scope: ServiceScope
  public var owner: ServiceOwner
  /// The path of `hrgate`.
  public var program: String
  public var places: ServicePlaces
  /// The folder of an image whose root directory it is; nothing is started there. `nil` for this machine.
  public var image: String?
  /// What else the machine's service needs: texts by their paths.
  public var companions: [String: String]

  public init(
    scope: ServiceScope, owner: ServiceOwner, program: String, places: ServicePlaces, image: String? = nil,
    companions: [String: String] = [:]
  ) {
    self.companions = companions
    self.scope = scope
    self.owner = owner
    self.program = program
    self.places = places
    self.image = image
  }

  /// What there is to do to have the service start by itself from now on, and at once.
  ///
  /// - Throws: ``ServiceRefusal``: no systemd answers, or a service could not run the program or see the
  ///   store.
  public func enabling() throws -> [ServiceStep] {
    try requireManager()
    try places.check(for: scope, of: owner)
    let unit = try writingUnit()
    let addition = addition()
    var files = [unit, addition].compactMap(\.self)
    var folders: [ServiceStep] = []
    if case .system = scope {
      for (place, text) in companions.sorted(by: { $0.key < $1.key }) {
        let there = content(path(place))
        if there != text { files.append(.write(path: path(place), text: text, replaces: there != nil)) }
      }
      folders = makingFolders()
    }
    guard image == nil else { return folders + files + [.run(systemctl(["enable", scope.unit]))] }
    var commands: [ServiceStep] = []
    if !files.isEmpty { commands.append(.run(systemctl(["daemon-reload"]))) }
    // One that runs already has the old unit, and perhaps an old program.
    var isOld = addition != nil
    if case .write(_, _, replaces: true) = unit { isOld = true }
    if isOld { commands.append(.run(systemctl(["try-restart", scope.unit]))) }
    commands.append(.run(systemctl(["enable", "--now", scope.unit])))
    return folders + files + commands
  }

  /// What there is to do to have the service end, and start no more. The file that is the owner's alone goes
  /// with it: their home may be elsewhere the next time. The others stay, and start nothing.
  ///
  /// - Throws: ``ServiceRefusal``.
  public func disabling() throws -> [ServiceStep] {
    try requireManager()
    let end: ServiceStep = .run(
      systemctl(image == nil ? ["disable", "--now", scope.unit] : ["disable", scope.unit]))
    guard let removal = removal else { return [end] }
    return image == nil ? [end, removal, .run(systemctl(["daemon-reload"]))] : [end, removal]
  }

  // MARK: - Files

  func path(_ path: String) -> String { (image ?? "") + path }

  /// The file that describes the unit, as systemd looks for it; `nil` where there is none.
  var unitFile: String? {
    let folders = scope.folders(configuration: places.configuration)
    return ([folders.own] + folders.packages).map { path("\($0)/\(scope.file)") }
      .first { content($0) != nil }
  }

  private func content(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }

  /// A package's file serves as it is; one that was written here is brought up to date.
  private func writingUnit() throws -> ServiceStep? {
    let folders = scope.folders(configuration: places.configuration)
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

  /// For places that the unit's own text does not name; the file of places of before goes.
  private func addition() -> ServiceStep? {
    guard let text = places.addition(to: scope, of: owner) else { return removal }
    let place = path(scope.addition(configuration: places.configuration))
    let there = content(place)
    return there == text ? nil : .write(path: place, text: text, replaces: there != nil)
  }

  private var removal: ServiceStep? {
    let place = path(scope.addition(configuration: places.configuration))
    return FileManager.default.fileExists(atPath: place) ? .remove(path: place) : nil
  }

  /// What the machine's service sees of the owner's. A folder that is not there when it starts is not seen
  /// when it comes, and without the store's the service does not start.
  private func makingFolders() -> [ServiceStep] {
    let folders = [places.storeFolder, places.settingsFolder]
    guard let image else {
      // As the owner, in whose folders root has no business.
      return [.run(["runuser", "-u", owner.name, "--", "mkdir", "-p", "-m", "0700", "--"] + folders)]
    }
    return folders.map { .makeFolder(ImageFolder(image: image, path: $0, owner: owner)) }
  }
}
