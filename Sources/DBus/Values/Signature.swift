internal import CDBus

/// The types of a message body or of a value, for example `sa{sv}`.
///
/// D-Bus specification, "Valid Signatures": at most 255 bytes, arrays and structures nested at most 32 deep
/// each.
public struct Signature: Hashable, Sendable, CustomStringConvertible {
  public let rawValue: String

  /// - Returns: `nil` if `text` is not a valid signature. The empty text is valid: a body without arguments.
  public init?(_ text: String) {
    guard BusNames.accepts(text, dbus_signature_validate) else { return nil }
    rawValue = text
  }

  init(valid rawValue: String) {
    self.rawValue = rawValue
  }

  public var description: String { rawValue }

  /// Whether this is a single complete type. The contents of arrays, dictionaries and variants must be one.
  public var isSingleType: Bool {
    !rawValue.isEmpty && BusNames.accepts(rawValue, dbus_signature_validate_single)
  }

  /// Whether the type may be the key of a dictionary: a single letter, but not `v`.
  public var isBasicType: Bool {
    rawValue.utf8.count == 1 && rawValue != "v"
  }
}

/// For signatures in source code. Use `Signature(_:)` for other text.
extension Signature: ExpressibleByStringLiteral {
  public init(stringLiteral text: StaticString) {
    guard let signature = Signature(text.description) else {
      preconditionFailure("invalid signature: \(text)")
    }
    self = signature
  }
}
