internal import Foundation

/// The manager that runs the service, and how it is asked.
extension ServiceControl {
  func systemctl(_ arguments: [String]) -> [String] {
    var command = ["systemctl"]
    if let image { command.append("--root=\(image)") }
    if case .user = scope {
      command.append("--user")
      if !owner.isCurrent { command.append("--machine=\(owner.name)@.host") }
    }
    return command + arguments
  }

  /// - Throws: ``ServiceRefusal`` where no manager answers.
  func requireManager() throws(ServiceRefusal) {
    if image == nil { _ = try shownEnvironment() }
  }

  /// The variables that the manager gives its services; none in an image. Those whose values it shows in a
  /// form of its own (with line feeds and the like) are left out.
  ///
  /// - Throws: ``ServiceRefusal`` where no manager answers.
  public func managerVariables() throws(ServiceRefusal) -> [String: String] {
    guard image == nil else { return [:] }
    var variables: [String: String] = [:]
    for line in try shownEnvironment().split(separator: "\n") {
      guard let sign = line.firstIndex(of: "=") else { continue }
      variables[String(line[..<sign])] = Self.unquoted(line[line.index(after: sign)...])
    }
    return variables
  }

  /// Whether the service is enabled: by its manager's word, or by the links where none answers.
  public var isEnabled: Bool {
    if image == nil, let condition = try? condition() { return condition.isEnabled }
    return isLinked
  }

  /// Whether a link is there that enabling makes, wherever it leads.
  var isLinked: Bool {
    scope.links(configuration: places.configuration).contains { link in
      (try? FileManager.default.attributesOfItem(atPath: path(link))) != nil
    }
  }

  private func shownEnvironment() throws(ServiceRefusal) -> String {
    // Asked for the manager of somebody who is not there, systemctl would log them in.
    if case .user = scope, !owner.isCurrent,
      !FileManager.default.fileExists(atPath: "/run/user/\(owner.number)/systemd/private")
    {
      throw ServiceRefusal("\(owner.name) is not logged in, and has no manager of services")
    }
    let outcome: SystemProgram.Outcome
    do {
      outcome = try SystemProgram.run(systemctl(["show-environment"]))
    } catch {
      throw ServiceRefusal("there is no systemd here (\(error)). \(Self.remedy)")
    }
    guard outcome.status == 0 else {
      throw ServiceRefusal("systemd does not answer (\(outcome.complaint)). \(Self.remedy)")
    }
    return outcome.output
  }

  private static let remedy =
    "Have `hrgate run --wait` started by whatever starts programs here: it needs no other service"

  /// As shells take it: `$'…'` where a value has other characters than names of files usually have.
  private static func unquoted(_ text: Substring) -> String? {
    guard text.hasPrefix("$'"), text.hasSuffix("'") else { return String(text) }
    var plain = ""
    var escapes = false
    for character in text.dropFirst(2).dropLast() {
      if escapes {
        guard "\\'\"$`!".contains(character) else { return nil }
        plain.append(character)
      } else if character != "\\" {
        plain.append(character)
      }
      escapes = !escapes && character == "\\"
    }
    return plain
  }

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
