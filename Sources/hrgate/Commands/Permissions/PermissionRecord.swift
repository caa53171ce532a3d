import HealthKit

/// What `hrgate permissions list --json` prints for an application and a type. The names are a promise.
struct PermissionRecord: Encodable {
  var bundleIdentifier: String
  var name: String
  var type: String
  /// Absent while undecided.
  var share: Bool?
  var read: Bool?

  init(_ permission: TypePermission) {
    bundleIdentifier = permission.bundleIdentifier
    name = permission.applicationName
    type = permission.type
    share = permission.share
    read = permission.read
  }

  /// A line for a person.
  var text: String {
    let type = ProtectedTypeArgument(argument: type)?.name ?? type.plain
    return [
      bundleIdentifier.plain, name.plain, type, "save: \(Self.word(share))", "read: \(Self.word(read))",
    ].joined(separator: "  ")
  }

  private static func word(_ decision: Bool?) -> String {
    switch decision {
    case nil: "undecided"
    case false?: "denied"
    case true?: "granted"
    }
  }
}
