import HealthStorage

/// What a store handle is allowed to do.
enum Authority: Sendable {
  /// The system, or a program with access to everything.
  case unrestricted
  /// A program that needs permission from the user.
  case application(HKHealthStore.Application, Decider)
  /// The program's description cannot be read. Every use of the store fails with this error.
  case unknown(HKError)

  /// The party that decides on a program's permissions.
  enum Decider: Sendable {
    case user
    case program(
      @Sendable (HKHealthStore.Configuration.Request) async throws -> HKHealthStore.Configuration.Answer)
  }

  init(_ application: HKHealthStore.Application, _ decision: HKHealthStore.Configuration.Decision) {
    self =
      switch decision {
      case .everything: .unrestricted
      case .user: .application(application, .user)
      case .asking(let decide): .application(application, .program(decide))
      }
  }

  /// The application whose permissions apply, or nil if no permission is needed.
  /// - Throws: errorAuthorizationDenied if the application lacks the HealthKit entitlement.
  var application: HKHealthStore.Application? {
    get throws(HKError) {
      switch self {
      case .unrestricted: return nil
      case .unknown(let error): throw error
      case .application(let application, _):
        guard application.entitlements.healthKit else {
          throw HKError(
            .errorAuthorizationDenied, reason: application.lacking("com.apple.developer.healthkit"))
        }
        return application
      }
    }
  }
}
