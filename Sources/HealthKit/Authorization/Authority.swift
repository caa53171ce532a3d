import HealthStorage

/// On whose authority a handle on the store acts.
enum Authority: Sendable {
  /// The system, or a program to which everything was granted.
  case unrestricted
  case application(HKHealthStore.Application, Decider)
  /// What the program says of itself cannot be read; every use of the store fails with this.
  case unknown(HKError)

  /// Who decides what an application may do.
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

  /// The application whose permission counts; nil where none is needed.
  /// - Throws: errorAuthorizationDenied for an application without the entitlement.
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
