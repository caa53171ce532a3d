public import Foundation

/// An error of the health store. As with Apple's framework, `catch HKError.errorNoData` catches all errors
/// with that code.
public struct HKError: Error, Hashable, Sendable {
  /// The error codes, with Apple's raw values.
  public enum Code: Int, Sendable {
    case unknownError = 0
    case errorHealthDataUnavailable = 1
    case errorHealthDataRestricted = 2
    case errorInvalidArgument = 3
    case errorAuthorizationDenied = 4
    case errorAuthorizationNotDetermined = 5
    case errorDatabaseInaccessible = 6
    case errorUserCanceled = 7
    case errorAnotherWorkoutSessionStarted = 8
    case errorUserExitedWorkoutSession = 9
    case errorRequiredAuthorizationDenied = 10
    case errorNoData = 11
    case errorWorkoutActivityNotAllowed = 12
    case errorDataSizeExceeded = 13
    case errorBackgroundWorkoutSessionNotAllowed = 14
    case errorNotPermissibleForGuestUserMode = 15

    @available(*, deprecated, renamed: "unknownError")
    public static var noError: Code { .unknownError }

    /// Matches an `HKError` with this code, or an `NSError` with this code in the HealthKit domain. This
    /// makes `catch HKError.errorNoData` work.
    public static func ~= (code: Code, error: any Error) -> Bool {
      if let error = error as? HKError { return error.code == code }
      let error = error as NSError
      return error.domain == HKErrorDomain && error.code == code.rawValue
    }
  }

  public static let errorDomain = "com.apple.healthkit"

  /// The error code.
  public let code: Code
  /// A description of the error for logs and users. It contains no health values.
  public let reason: String
  /// Further entries of `userInfo`.
  private let details: [String: String]

  /// Creates an error with a description for logs and users.
  public init(_ code: Code, reason: String = "") {
    self.init(code, reason: reason, details: [:])
  }

  /// Creates an error from a user info dictionary. Keeps only string values; `NSLocalizedDescriptionKey`
  /// becomes the reason.
  public init(_ code: Code, userInfo: [String: Any]) {
    let texts = userInfo.compactMapValues { $0 as? String }
    self.init(code, reason: texts[NSLocalizedDescriptionKey] ?? "", details: texts)
  }

  /// The user info that an `NSError` would have. All values are strings.
  public var userInfo: [String: Any] { errorUserInfo }

  /// Converts a validation error, for initializers that throw `HKError` like Apple's.
  init(invalid error: HKValidationError) {
    self.init(.errorInvalidArgument, reason: error.reason)
  }

  /// Returns the result of a closure. Converts a validation error to errorInvalidArgument.
  static func validating<Value>(_ work: () throws(HKValidationError) -> Value) throws(HKError) -> Value {
    do {
      return try work()
    } catch {
      throw HKError(invalid: error)
    }
  }

  init(_ code: Code, reason: String, details: [String: String]) {
    self.code = code
    self.reason = reason
    self.details = details
  }
}

extension HKError {
  @available(*, deprecated, renamed: "unknownError")
  public static var noError: Code { .unknownError }
  public static var unknownError: Code { .unknownError }
  public static var errorHealthDataUnavailable: Code { .errorHealthDataUnavailable }
  public static var errorHealthDataRestricted: Code { .errorHealthDataRestricted }
  public static var errorInvalidArgument: Code { .errorInvalidArgument }
  public static var errorAuthorizationDenied: Code { .errorAuthorizationDenied }
  public static var errorAuthorizationNotDetermined: Code { .errorAuthorizationNotDetermined }
  public static var errorDatabaseInaccessible: Code { .errorDatabaseInaccessible }
  public static var errorUserCanceled: Code { .errorUserCanceled }
  public static var errorAnotherWorkoutSessionStarted: Code { .errorAnotherWorkoutSessionStarted }
  public static var errorUserExitedWorkoutSession: Code { .errorUserExitedWorkoutSession }
  public static var errorRequiredAuthorizationDenied: Code { .errorRequiredAuthorizationDenied }
  public static var errorNoData: Code { .errorNoData }
  public static var errorWorkoutActivityNotAllowed: Code { .errorWorkoutActivityNotAllowed }
  public static var errorDataSizeExceeded: Code { .errorDataSizeExceeded }
  public static var errorBackgroundWorkoutSessionNotAllowed: Code { .errorBackgroundWorkoutSessionNotAllowed }
  public static var errorNotPermissibleForGuestUserMode: Code { .errorNotPermissibleForGuestUserMode }
}

extension HKError: CustomNSError, LocalizedError {
  public var errorCode: Int { code.rawValue }
  public var errorDescription: String? { reason.isEmpty ? "HKError \(code)" : reason }
  // `localizedDescription` on Linux reads only this property.
  public var errorUserInfo: [String: Any] {
    details.merging([NSLocalizedDescriptionKey: errorDescription ?? ""]) { _, description in description }
  }
}
