/// The result of verifying a record against its signature.
public enum SignatureVerdict: Hashable, Sendable {
  /// The verifier's key signed this record, and no field was altered.
  case valid
  /// The verifier's key signed a record that differs from this one in the given fields.
  case altered([Alteration])
  /// The signature could not be verified, so it proves nothing about the record.
  case unverifiable(SignatureError)

  public var isValid: Bool { self == .valid }
}

/// A description without values, so that it can be logged.
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
  /// The signed value as text, as in the signed content. It is `nil` if the signed record does not have the
  /// field.
  public let signed: String?
  /// The value of the record that was verified, as text. It is `nil` if that record does not have the field.
  public let found: String?
}

/// A description without the values, so that it can be logged.
extension Alteration: CustomStringConvertible {
  public var description: String { "\(field)" }
}
