extension MatchRule {
  /// Whether the header fits. The bus matches too, for all rules of the connection together; this says which
  /// of them it was.
  func matches(_ header: MessageHeader, owners: NameOwners) -> Bool {
    // What is cheap, and most often differs, comes first.
    if let member, member != header.member { return false }
    if let interface, interface != header.interface { return false }
    if let path, path != header.path { return false }
    if let pathNamespace, header.path?.hasPrefix(pathNamespace) != true { return false }
    // A name that nobody follows has no owner here.
    if let sender, sender != header.sender {
      return owners.owner(of: sender).map { $0 == header.sender } ?? false
    }
    return true
  }

  /// Whether the first argument fits; only a string does.
  func matches(firstArgument: DBusValue?) -> Bool {
    if argument0 == nil, argument0Namespace == nil { return true }
    guard case .string(let text) = firstArgument else { return false }
    if let argument0, argument0 != text { return false }
    if let argument0Namespace, text != argument0Namespace, !text.hasPrefix("\(argument0Namespace).") {
      return false
    }
    return true
  }
}
