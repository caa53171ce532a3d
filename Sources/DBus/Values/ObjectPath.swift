/// The place of an object in its owner's tree, for example `/org/bluez/hci0`.
///
/// D-Bus specification, "Valid Object Paths": a slash, then elements of `[A-Za-z0-9_]` with one slash
/// between.
public struct ObjectPath: Hashable, Sendable, CustomStringConvertible {
  public let rawValue: String

  /// - Returns: nil when `text` is no object path.
  public init?(_ text: String) {
    guard Self.isValid(text.utf8) else { return nil }
    rawValue = text
  }

  /// - Parameter rawValue: checked before, by us or by libdbus.
  init(valid rawValue: String) {
    self.rawValue = rawValue
  }

  public static let root = ObjectPath(valid: "/")

  public var description: String { rawValue }

  /// The path of one element fewer; nil for the root.
  public var parent: ObjectPath? {
    guard self != .root, let slash = rawValue.lastIndex(of: "/") else { return nil }
    return slash == rawValue.startIndex ? .root : ObjectPath(valid: String(rawValue[..<slash]))
  }

  /// The element behind the last slash; empty for the root.
  public var lastComponent: Substring {
    guard let slash = rawValue.lastIndex(of: "/") else { return rawValue[...] }
    return rawValue[rawValue.index(after: slash)...]
  }

  /// The elements from the root on; none for the root.
  public var components: [Substring] {
    rawValue.split(separator: "/")
  }

  /// Whether the path is `other` or an object below it.
  public func hasPrefix(_ other: ObjectPath) -> Bool {
    if self == other || other == .root { return true }
    let below = other.rawValue.utf8.count
    // Nothing but ASCII is in a path, so an offset is an index.
    guard rawValue.utf8.count > below, rawValue.hasPrefix(other.rawValue) else { return false }
    return rawValue.utf8[rawValue.utf8.index(rawValue.startIndex, offsetBy: below)] == UInt8(ascii: "/")
  }

  /// The path of a child.
  ///
  /// - Returns: nil when `component` is no path element.
  public func appending(_ component: String) -> ObjectPath? {
    guard !component.isEmpty, !component.contains("/") else { return nil }
    return ObjectPath(self == .root ? "/\(component)" : "\(rawValue)/\(component)")
  }

  private static func isValid(_ text: String.UTF8View) -> Bool {
    guard text.first == UInt8(ascii: "/") else { return false }
    if text.count == 1 { return true }
    var before = UInt8(ascii: "/")
    for byte in text.dropFirst() {
      guard byte == UInt8(ascii: "/") ? before != byte : NameCharacters.isWord(byte) else { return false }
      before = byte
    }
    return before != UInt8(ascii: "/")
  }
}

/// For paths that stand in our own source. Text from elsewhere goes through `ObjectPath(_:)`, which returns
/// nil.
extension ObjectPath: ExpressibleByStringLiteral {
  public init(stringLiteral text: StaticString) {
    guard let path = ObjectPath(text.description) else {
      preconditionFailure("no object path: \(text)")
    }
    self = path
  }
}
