/// The types of a message body or of a value, one letter or bracketed group after another: `sa{sv}`.
///
/// D-Bus specification, "Valid Signatures": at most 255 bytes, arrays and structures nested at most 32 deep
/// each.
public struct Signature: Hashable, Sendable, CustomStringConvertible {
  public let rawValue: String

  /// - Returns: nil when `text` is no signature. The empty text is one: a body of no arguments.
  public init?(_ text: String) {
    guard SignatureParser.completeTypes(of: text.utf8) != nil else { return nil }
    rawValue = text
  }

  init(valid rawValue: String) {
    self.rawValue = rawValue
  }

  public var description: String { rawValue }

  /// The signature cut into its complete types: `sa{sv}` has `s` and `a{sv}`.
  public var completeTypes: [Signature] {
    let types = SignatureParser.completeTypes(of: rawValue.utf8) ?? []
    return types.map { Signature(valid: String(decoding: $0, as: UTF8.self)) }
  }

  /// Whether one value has this signature: what an array, a dictionary and a variant ask of their contents.
  public var isSingleType: Bool {
    SignatureParser.completeTypes(of: rawValue.utf8)?.count == 1
  }

  /// Whether the type may be the key of a dictionary: one letter, and no variant.
  public var isBasicType: Bool {
    rawValue.utf8.count == 1 && rawValue != "v"
  }
}

/// For signatures that stand in our own source. Text from elsewhere goes through `Signature(_:)`, which
/// returns nil.
extension Signature: ExpressibleByStringLiteral {
  public init(stringLiteral text: StaticString) {
    guard let signature = Signature(text.description) else {
      preconditionFailure("no signature: \(text)")
    }
    self = signature
  }
}
