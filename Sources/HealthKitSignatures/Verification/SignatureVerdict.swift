/// What verifying a record against its signature found.
public enum SignatureVerdict: Hashable, Sendable {
  /// The known key signed this record, and every field is as it was signed.
  case valid
  /// The known key signed a record, from which this one differs in these fields.
  case altered([Alteration])
  /// The signature proves nothing about the record, for this reason.
  case unverifiable(SignatureError)

  public var isValid: Bool { self == .valid }
}

/// Without values: it may end in a log.
extension SignatureVerdict: CustomStringConvertible {
  public var description: String {
    switch self {
    case .valid: "valid"
    case .altered(let alterations): "altered: " + alterations.map(\.description).joined(separator: ", ")
    case .unverifiable(let error): "unverifiable: \(error)"
    }
  }
}
