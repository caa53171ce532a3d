package import Foundation
package import HealthKit
import HealthStorage

/// A question of an application that waits for the user.
package struct PendingAuthorization: Sendable {
  package var id: Int64 { pending.id }
  package let asked: Date
  /// Its application is as it presented itself when it asked.
  package let request: HKHealthStore.Configuration.Request
  let pending: PendingRequest
}
