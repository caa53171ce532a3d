/// Why an object cannot be made, or a value not be read.
///
/// Apple raises an Objective-C exception, which Swift cannot catch and Linux does not have. Here one rule
/// holds. What Apple spells without `throws` traps, with the exception's name and reason: such a call is a
/// programmer's error. Each such initialiser has a twin, `validated(…)`, which throws this error instead. Use
/// it for values from outside: no input ends the process there.
///
/// The texts name types, units and keys, never values.
public struct HKValidationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The exceptions that Apple's framework raises.
  public enum Exception: String, Sendable {
    /// What was passed cannot be used so.
    case invalidArgument = "NSInvalidArgumentException"
    /// The object would break a rule of its type.
    case objectValidation = "_HKObjectValidationFailureException"
  }

  /// What Apple's framework would raise.
  public let exception: Exception
  /// What is wrong.
  public let reason: String

  public var description: String { reason }

  init(_ exception: Exception, _ reason: String) {
    self.exception = exception
    self.reason = reason
  }

  init(_ reason: String) {
    self.init(.objectValidation, reason)
  }

  /// Ends the process as the exception would.
  func raise() -> Never {
    fatalError("*** Terminating due to uncaught exception '\(exception.rawValue)', reason: '\(reason)'")
  }
}

/// The value, or a trap with the reason, for Apple's initialisers that do not throw.
func requiring<Value>(_ value: @autoclosure () throws(HKValidationError) -> Value) -> Value {
  do {
    return try value()
  } catch {
    error.raise()
  }
}
