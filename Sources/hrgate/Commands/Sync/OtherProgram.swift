import Foundation
import HealthDataSync
import HealthKit

/// Another process that syncs to the same destination.
///
/// `hrgate sync run --once` waits for it instead of running its own sync, and ends when that process has
/// synced everything.
struct OtherProgram {
  struct Ending: Equatable {
    /// Why some changes were not sent; `nil` if everything was sent.
    var failure: String?
  }

  /// Progress of the other process since it was asked to retry.
  private struct Urge {
    /// Set if the destination was failing when the retry was requested: the time of its last success before
    /// that. The wait ends only after a newer success.
    let lastSuccess: Date??
    /// The number of rejected records that were not retried yet, and when this number last changed.
    var untried: Int
    var since: ContinuousClock.Instant
  }

  let destinations: SyncDestinations
  let name: String
  private let timeout: Duration
  private var urge: Urge?

  /// Polling interval.
  private static let pause = Duration.milliseconds(500)

  /// Prepares to wait for another process that syncs to the same destination.
  ///
  /// - Parameter timeout: The wait ends if no rejected record is retried for this long. If some records keep
  ///   failing, the other process pauses all of them for a while.
  init(_ name: String, of store: HKHealthStore, timeout: Duration = .seconds(120)) throws {
    destinations = try SyncDestinations(store)
    self.name = name
    self.timeout = timeout
  }

  static func account(_ process: Int32?) -> String {
    "up to date; sent by \(process.map { "process \($0)" } ?? "another program")"
  }

  /// Waits one polling interval and returns how the sync ended.
  ///
  /// The first call asks the other process to retry failed and rejected records immediately, as a run of this
  /// process would.
  ///
  /// - Returns: `nil` if the sync has not ended. The caller then tries to sync by itself, because the other
  ///   process may have been killed.
  /// - Throws: `SyncDestinationError.unknown`, `HKError` or `CancellationError`.
  mutating func ending() async throws -> Ending? {
    let now = try await destinations.outstanding(name)
    guard var urge else {
      urge = Urge(
        lastSuccess: now.failure == nil ? nil : .some(now.lastSuccess), untried: .max, since: .now)
      try await destinations.resetSetAside(name)
      return nil
    }
    if let failure = now.failure { return Ending(failure: failure) }
    if now.untried != urge.untried { (urge.untried, urge.since) = (now.untried, .now) }
    self.urge = urge
    let isReached = urge.lastSuccess.map { $0 != now.lastSuccess } ?? true
    if !now.hasChanges, isReached {
      if now.untried == 0 { return Ending() }
      if urge.since.duration(to: .now) > timeout {
        return Ending(
          failure:
            "\(Counted.text(now.untried, "rejected record was", "rejected records were")) not retried yet; "
            + "the program that sends retries later")
      }
    }
    try await Task.sleep(for: Self.pause)
    return nil
  }
}
