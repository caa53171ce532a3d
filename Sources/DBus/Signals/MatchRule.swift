/// Which signals one wants. What is nil is not asked about.
///
/// D-Bus specification, "Match Rules".
public struct MatchRule: Hashable, Sendable {
  /// A unique name, or a well-known one: then the signals of whoever owns it, and the connection follows its
  /// owner.
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

  /// The changes of a name's owner; of a connection's own name its end.
  public static func ownerChanges(of name: String) -> MatchRule {
    MatchRule(
      sender: BusDaemon.name, path: BusDaemon.path, interface: BusDaemon.name, member: "NameOwnerChanged",
      argument0: name)
  }

  /// The sender, where it is a name whose owner is to be followed.
  var followedSender: String? {
    guard let sender, sender != BusDaemon.name, BusNames.isWellKnown(sender) else { return nil }
    return sender
  }
}

extension MatchRule: CustomStringConvertible {
  /// The rule as the bus reads it.
  public var description: String {
    let keys: [(String, String?)] = [
      ("type", "signal"), ("sender", sender), ("path", path?.rawValue), ("interface", interface),
      ("member", member),
      // Every path is in the root's namespace. Older buses compare with a slash added and find nothing there.
      ("path_namespace", pathNamespace == .root ? nil : pathNamespace?.rawValue), ("arg0", argument0),
      ("arg0namespace", argument0Namespace),
    ]
    return keys.compactMap { key, value in
      // Between apostrophes everything but the apostrophe stands for itself.
      value.map { "\(key)='\($0.replacing("'", with: #"'\''"#))'" }
    }.joined(separator: ",")
  }

  /// - Throws: `BusError` with `.invalidMessage` for a rule that the bus would not take.
  func check() throws(BusError) {
    let longest = 1024
    let isValid =
      sender.map(BusNames.isBus) ?? true && interface.map(BusNames.isInterface) ?? true
      && member.map(BusNames.isMember) ?? true && argument0Namespace.map(BusNames.isNamespace) ?? true
      && (argument0?.utf8.contains(0) ?? false) == false && (path == nil || pathNamespace == nil)
      && (argument0 == nil || argument0Namespace == nil)
    guard isValid, description.utf8.count <= longest else {
      throw BusError(.invalidMessage, "no match rule: \(description.replacing("\u{0}", with: "\u{FFFD}"))")
    }
  }
}
