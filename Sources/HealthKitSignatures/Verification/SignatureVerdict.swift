/// The result of verifying a record against its signature.
public enum SignatureVerdict: Hashable, Sendable {
  /// The known key signed this record, and no field was altered.
  case valid
  /// The known key signed a record that differs from this one in these fields.
  case altered([Alteration])
  /// The signature proves nothing about the record.
  case unverifiable(SignatureError)

  public var isValid: Bool { self == .valid }
}

/// A description without values, so that it may be logged.
extension SignatureVerdict: CustomStringConvertible {
  public var description: String {
    switch self {
    case .valid: "valid"
    case .altered(let alterations): "altered: " + alterations.map(\.description).joined(separator: ", ")
    case .unverifiable(let error): "unverifiable: \(error)"
    }
  }
}

/// A field that differs from the signed record.
public struct Alteration: Hashable, Sendable {
  public let field: RecordField
  /// The signed value as text, in the form of the signed content. It is `nil` if the signed record does not
  /// have the field.
  public let signed: String?
  /// The value of the verified record as text, or `nil` if it does not have the field.
  public let found: String?
}

/// A description without the values, so that it may be logged.
extension Alteration: CustomStringConvertible {
  public var description: String { "\(field)" }
}
