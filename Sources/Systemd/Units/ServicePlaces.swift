/// Where the owner's programs find the store and what is set, and so the service too.
public struct ServicePlaces: Hashable, Sendable {
  /// The folder of the store's file.
  public var storeFolder: String
  /// `$XDG_CONFIG_HOME`: what is set stands in its folder `hrgate`, units of the user's own manager in
  /// `systemd/user`.
  public var configuration: String
  /// The variables that lead there and that the service's manager does not give it.
  public var variables: [String: String]

  public init(storeFolder: String, configuration: String, variables: [String: String] = [:]) {
    self.storeFolder = storeFolder
    self.configuration = configuration
    self.variables = variables
  }

  var settingsFolder: String { configuration + "/hrgate" }

  /// Those that the text of the machine's unit names.
  static func named(byUnitOf owner: ServiceOwner) -> ServicePlaces {
    ServicePlaces(
      storeFolder: "/home/\(owner.name)/.local/share/hrgate", configuration: "/home/\(owner.name)/.config")
  }

  /// - Throws: ``ServiceRefusal`` for what the machine's service cannot, or should not, be given.
  func check(for scope: ServiceScope, of owner: ServiceOwner) throws(ServiceRefusal) {
    for path in [storeFolder, settingsFolder] + variables.values {
      guard !path.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
        throw ServiceRefusal("a unit cannot name a place with a control character in it: \(path)")
      }
      guard !path.contains("\"") || !path.contains("'") else {
        throw ServiceRefusal("a unit cannot name a place with both kinds of quotes in it: \(path)")
      }
    }
    // It would see whatever else is there.
    guard case .system = scope else { return }
    guard !(owner.home + "/").hasPrefix(storeFolder == "/" ? "/" : storeFolder + "/") else {
      throw ServiceRefusal(
        "the store lies in \(storeFolder), and the machine's service would see all of it: give the store a folder of its own (store = ~/.local/share/hrgate/health.sqlite), or use hrgate service enable --user"
      )
    }
  }

  // MARK: - As text of a unit

  /// What is added to the unit of a scope, whose own text does not say it of these places; `nil` where there
  /// is nothing to add.
  func addition(to scope: ServiceScope, of owner: ServiceOwner) -> String? {
    var lines: [String] = []
    if !variables.isEmpty {
      let assignments = variables.sorted { $0.key < $1.key }.map { Self.word("\($0.key)=\($0.value)") }
      lines.append("Environment=" + assignments.joined(separator: " "))
    }
    let usual = Self.named(byUnitOf: owner)
    if case .system = scope, (storeFolder, configuration) != (usual.storeFolder, usual.configuration) {
      // They are one list: what empties the one empties the other.
      lines += ["BindPaths=", "BindPaths=" + Self.tuple(storeFolder)]
      lines += ["BindReadOnlyPaths=" + Self.tuple("-" + settingsFolder)]
    }
    return lines.isEmpty ? nil : (["[Service]"] + lines + [""]).joined(separator: "\n")
  }

  /// systemd.exec(5), "Environment=": quoted as in systemd.syntax(7), "Quoting", with specifiers doubled.
  static func word(_ text: String) -> String {
    "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("%", with: "%%"))\""
  }

  /// systemd.exec(5), "BindPaths=". It is taken apart twice: into words, where quotes count and backslashes
  /// do not, and each word at its colons, where backslashes count and quotes do not.
  static func tuple(_ path: String) -> String {
    let quote = path.contains("\"") ? "'" : "\""
    let escaped = path.map { "\\:".contains($0) ? "\\\($0)" : String($0) }.joined()
    return quote + escaped.replacing("%", with: "%%") + quote
  }
}
