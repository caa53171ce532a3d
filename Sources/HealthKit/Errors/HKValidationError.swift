/// A reason why an object cannot be created or a value cannot be read.
///
/// Apple's framework raises an Objective-C exception, which Swift cannot catch and which does not exist on
/// Linux. Instead, initializers that Apple declares without `throws` trap with the exception's name and
/// reason, because such a call is a programming error.
///
/// Each of these initializers has a counterpart, `validated(…)`, that throws this error. Use it for values
/// from outside the program: no input can crash the process there.
///
/// ```swift
/// do {
///   let unit = try HKUnit.validated(from: "mg/dL")
///   print(unit)
/// } catch {
///   print(error.reason)
/// }
/// ```
///
/// The reasons name types, units and keys, but never values.
public struct HKValidationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The exceptions that Apple's framework raises.
  public enum Exception: String, Sendable {
    /// An argument is not valid.
    case invalidArgument = "NSInvalidArgumentException"
    /// The object would break a rule of its type.
    case objectValidation = "_HKObjectValidationFailureException"
  }

  /// The exception that Apple's framework would raise.
  public let exception: Exception
  /// A description of the problem.
  public let reason: String

  public var description: String { reason }

  init(_ exception: Exception, _ reason: String) {
    self.exception = exception
    self.reason = reason
  }

  init(_ reason: String) {
    self.init(.objectValidation, reason)
  }

  /// Ends the process with the exception's name and reason.
  func raise() -> Never {
    fatalError("*** Terminating due to uncaught exception '\(exception.rawValue)', reason: '\(reason)'")
  }
}

/// Returns a value, or traps with the reason. Used by initializers that Apple declares without `throws`.
func requiring<Value>(_ value: @autoclosure () throws(HKValidationError) -> Value) -> Value {
  do {
    return try value()
  } catch {
    error.raise()
  }
}
