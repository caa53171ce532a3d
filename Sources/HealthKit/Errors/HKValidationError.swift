/// Why an object cannot be made. Apple raises an exception; here an initialiser traps with this text, and the
/// `validated` spellings throw it.
///
/// The texts name types, units and keys, never values.
public struct HKValidationError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// The value, or a trap with the reason: how a non-throwing initialiser of Apple's reports a programmer's error.
func requiring<Value>(_ body: () throws(HKValidationError) -> Value) -> Value {
  do {
    return try body()
  } catch {
    preconditionFailure(error.description)
  }
}
