import HealthDataSync
import HealthSystem

/// The JSON object that `hrgate permissions list --json` prints for an application and a type. The names are
/// stable.
struct PermissionLine: Encodable {
  var bundleIdentifier: String
  var name: String
  var type: String
  /// Whether the application may save and read; absent while undecided.
  var share: Bool?
  var read: Bool?
  /// Number of single objects that may be read; absent if there are none.
  var objects: Int?
  /// When the application last read anything; absent if it never did.
  var lastRead: String?

  init(_ permission: TypePermission) {
    bundleIdentifier = permission.bundleIdentifier
    name = permission.applicationName
    type = permission.type
    share = permission.share
    read = permission.read
    objects = permission.objects == 0 ? nil : permission.objects
    lastRead = permission.lastRead.map(Timestamp.text)
  }

  /// The permission as a line of text.
  var text: String {
    let type = ProtectedTypeArgument(argument: type)?.name ?? type.plain
    let decisions = ["save: \(Self.word(share))", "read: \(Self.word(read))"]
    let chosen = objects.map { ["single objects: \($0)"] } ?? []
    let lastRead = lastRead.map { ["last read: \($0)"] } ?? []
    return ([bundleIdentifier.plain, name.plain, type] + decisions + chosen + lastRead)
      .joined(separator: "  ")
  }

  private static func word(_ decision: Bool?) -> String {
    switch decision {
    case nil: "undecided"
    case false?: "denied"
    case true?: "granted"
    }
  }
}
