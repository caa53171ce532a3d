internal import CDBus

/// The path of an object in its owner's tree, for example `/org/bluez/hci0`.
///
/// D-Bus specification, "Valid Object Paths".
public struct ObjectPath: Hashable, Sendable, CustomStringConvertible {
  public let rawValue: String

  /// - Returns: `nil` if `text` is not a valid object path.
  public init?(_ text: String) {
    guard BusNames.accepts(text, dbus_validate_path) else { return nil }
    rawValue = text
  }

  /// - Parameter rawValue: A path that this program or libdbus has validated.
  init(valid rawValue: String) {
    self.rawValue = rawValue
  }

  public static let root = ObjectPath(valid: "/")

  public var description: String { rawValue }

  /// The path without its last element; `nil` for the root.
  public var parent: ObjectPath? {
    guard self != .root, let slash = rawValue.lastIndex(of: "/") else { return nil }
    return slash == rawValue.startIndex ? .root : ObjectPath(valid: String(rawValue[..<slash]))
  }

  /// The last element; empty for the root.
  public var lastComponent: Substring {
    guard let slash = rawValue.lastIndex(of: "/") else { return rawValue[...] }
    return rawValue[rawValue.index(after: slash)...]
  }

  /// The elements; empty for the root.
  public var components: [Substring] {
    rawValue.split(separator: "/")
  }

  /// Whether the path is `other` or an object below it.
  public func hasPrefix(_ other: ObjectPath) -> Bool {
    if self == other || other == .root { return true }
    let below = other.rawValue.utf8.count
    // Paths are ASCII, so a UTF-8 offset is a position in the string.
    guard rawValue.utf8.count > below, rawValue.hasPrefix(other.rawValue) else { return false }
    return rawValue.utf8[rawValue.utf8.index(rawValue.startIndex, offsetBy: below)] == UInt8(ascii: "/")
  }

  /// Returns the path of a child.
  ///
  /// - Returns: `nil` if `component` is not a valid path element.
  public func appending(_ component: String) -> ObjectPath? {
    guard !component.isEmpty, !component.contains("/") else { return nil }
    return ObjectPath(self == .root ? "/\(component)" : "\(rawValue)/\(component)")
  }
}

/// For paths in source code. Use `ObjectPath(_:)` for other text.
extension ObjectPath: ExpressibleByStringLiteral {
  public init(stringLiteral text: StaticString) {
    guard let path = ObjectPath(text.description) else {
      preconditionFailure("invalid object path: \(text)")
    }
    self = path
  }
}

/// The rules for D-Bus names, as checked by libdbus (D-Bus specification, "Valid Names").
enum BusNames {
  typealias Validator = (UnsafePointer<CChar>?, UnsafeMutablePointer<DBusError>?) -> dbus_bool_t

  static func isInterface(_ text: String) -> Bool { accepts(text, dbus_validate_interface) }
  static func isError(_ text: String) -> Bool { accepts(text, dbus_validate_error_name) }
  static func isMember(_ text: String) -> Bool { accepts(text, dbus_validate_member) }
  /// Whether the text is a unique name (`:1.42`) or a well-known name (`org.bluez`).
  static func isBus(_ text: String) -> Bool { accepts(text, dbus_validate_bus_name) }
  static func isWellKnown(_ text: String) -> Bool { !text.hasPrefix(":") && isBus(text) }
  /// Returns whether the text can be used for `arg0namespace`. Unlike a bus name, it may have a single
  /// element.
  static func isNamespace(_ text: String) -> Bool { isBus("a.\(text)") }

  /// Whether `validator`, a function of libdbus, accepts the text.
  static func accepts(_ text: String, _ validator: Validator) -> Bool {
    !text.utf8.contains(0) && validator(text, nil) != 0
  }
}
