/// A rule that selects signals. Properties that are nil match everything.
///
/// D-Bus specification, "Match Rules".
public struct MatchRule: Hashable, Sendable {
  /// A unique or a well-known name. For a well-known name the connection tracks the owner.
  public var sender: String?
  /// This object. Not together with `pathNamespace`.
  public var path: ObjectPath?
  /// This object and those below.
  public var pathNamespace: ObjectPath?
  public var interface: String?
  public var member: String?
  /// The first argument, a string.
  public var argument0: String?
  /// The first argument is this name or one below: `org.bluez` and `org.bluez.obex`.
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

  /// Returns a rule for changes of a name's owner. For a unique name, this is the end of its connection.
  public static func ownerChanges(of name: String) -> MatchRule {
    MatchRule(
      sender: BusDaemon.name, path: BusDaemon.path, interface: BusDaemon.name, member: "NameOwnerChanged",
      argument0: name)
  }

  /// The sender, if it is a well-known name, whose owner has to be tracked.
  var followedSender: String? {
    guard let sender, sender != BusDaemon.name, BusNames.isWellKnown(sender) else { return nil }
    return sender
  }
}

extension MatchRule: CustomStringConvertible {
  /// The rule in the syntax of the bus.
  public var description: String {
    let keys: [(String, String?)] = [
      ("type", "signal"), ("sender", sender), ("path", path?.rawValue), ("interface", interface),
      ("member", member),
      // All paths are in the root's namespace, but older buses do not match any path there.
      ("path_namespace", pathNamespace == .root ? nil : pathNamespace?.rawValue), ("arg0", argument0),
      ("arg0namespace", argument0Namespace),
    ]
    return keys.compactMap { key, value in
      // Only the apostrophe needs escaping.
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
  /// Returns whether a signal matches. The bus matches against all rules of the connection together, so this
  /// finds the ones that apply.
  func matches(_ signal: IncomingMessage, owners: NameOwners) -> Bool {
    // Compare first what is cheap and often different.
    if let member, member != signal.member { return false }
    if let interface, interface != signal.interface { return false }
    if let path, path != signal.path { return false }
    if let pathNamespace, signal.path?.hasPrefix(pathNamespace) != true { return false }
    if let sender, sender != signal.sender {
      // The owner of a name that is not tracked is unknown.
      guard let owner = owners.owner(of: sender), owner == signal.sender else { return false }
    }
    if let argument0, argument0 != signal.firstString { return false }
    guard let argument0Namespace else { return true }
    guard let text = signal.firstString else { return false }
    return text == argument0Namespace || text.hasPrefix("\(argument0Namespace).")
  }
}
