/// A rule that selects signals. `nil` properties match every signal.
///
/// D-Bus specification, "Match Rules".
public struct MatchRule: Hashable, Sendable {
  /// A unique or well-known name. The connection tracks the owner of a well-known name.
  public var sender: String?
  /// The object must have this path. Do not combine it with `pathNamespace`.
  public var path: ObjectPath?
  /// The object must have this path or be below it.
  public var pathNamespace: ObjectPath?
  public var interface: String?
  public var member: String?
  /// The first argument must be this string.
  public var argument0: String?
  /// The first argument must be this name or begin with it and a dot: `org.bluez` matches `org.bluez.obex`.
  public var argument0Namespace: String?

  public init(
    sender: String? = nil, path: ObjectPath? = nil, pathNamespace: ObjectPath? = nil,
    interface: String? = nil,
    member: String? = nil, argument0: String? = nil, argument0Namespace: String? = nil
  ) {
    self.sender = sender
    self.path = path
    self.pathNamespace = pathNamespace
    self.interface = interface
    self.member = member
    self.argument0 = argument0
    self.argument0Namespace = argument0Namespace
  }

  /// Returns a rule for changes of a name's owner. For a unique name, the only change is the end of that
  /// client's connection.
  public static func ownerChanges(of name: String) -> MatchRule {
    MatchRule(
      sender: BusDaemon.name, path: BusDaemon.path, interface: BusDaemon.name, member: "NameOwnerChanged",
      argument0: name)
  }

  /// The sender whose owner has to be tracked, because it is a well-known name; otherwise `nil`.
  var followedSender: String? {
    guard let sender, sender != BusDaemon.name, BusNames.isWellKnown(sender) else { return nil }
    return sender
  }
}

extension MatchRule: CustomStringConvertible {
  /// The rule in the format of the D-Bus specification.
  public var description: String {
    let keys: [(String, String?)] = [
      ("type", "signal"), ("sender", sender), ("path", path?.rawValue), ("interface", interface),
      ("member", member),
      // Every path is below the root, so the root does not need a condition. With one, older buses would not
      // match any path.
      ("path_namespace", pathNamespace == .root ? nil : pathNamespace?.rawValue), ("arg0", argument0),
      ("arg0namespace", argument0Namespace),
    ]
    return keys.compactMap { key, value in
      // In this format, only the apostrophe needs escaping.
      value.map { "\(key)='\($0.replacing("'", with: #"'\''"#))'" }
    }.joined(separator: ",")
  }

  /// - Throws: `BusError` with `.invalidMessage` for a rule that the bus would reject.
  func check() throws(BusError) {
    let longest = 1024
    let isValid =
      sender.map(BusNames.isBus) ?? true && interface.map(BusNames.isInterface) ?? true
      && member.map(BusNames.isMember) ?? true && argument0Namespace.map(BusNames.isNamespace) ?? true
      && (argument0?.utf8.contains(0) ?? false) == false && (path == nil || pathNamespace == nil)
      && (argument0 == nil || argument0Namespace == nil)
    guard isValid, description.utf8.count <= longest else {
      throw BusError(
        .invalidMessage, "invalid match rule: \(description.replacing("\u{0}", with: "\u{FFFD}"))")
    }
  }
}

extension MatchRule {
  /// Returns whether a signal matches. This has to be checked here, because the bus does not report which of
  /// the connection's rules a signal matched.
  func matches(_ signal: IncomingMessage, owners: NameOwners) -> Bool {
    // First compare the fields that are cheap to compare and often differ.
    if let member, member != signal.member { return false }
    if let interface, interface != signal.interface { return false }
    if let path, path != signal.path { return false }
    if let pathNamespace, signal.path?.hasPrefix(pathNamespace) != true { return false }
    if let sender, sender != signal.sender {
      // `sender` is a well-known name, so compare its owner. Without a known owner, nothing matches.
      guard let owner = owners.owner(of: sender), owner == signal.sender else { return false }
    }
    if let argument0, argument0 != signal.firstString { return false }
    guard let argument0Namespace else { return true }
    guard let text = signal.firstString else { return false }
    return text == argument0Namespace || text.hasPrefix("\(argument0Namespace).")
  }
}
