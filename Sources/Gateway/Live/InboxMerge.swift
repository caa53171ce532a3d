import Bluetooth
import HealthKit
import HealthSystem
package import Ingestion

/// Merges the inbox, which holds measurements received while the store was locked, into the unlocked store.
/// Used if no gateway runs on the store; a running gateway merges the inbox itself.
package enum InboxMerge {
  package struct Outcome: Sendable {
    /// The counts of stored, duplicate and rejected measurements.
    package var tally: IngestionTally
    /// The errors found in the inbox, as sentences.
    package var notices: [String]
  }

  /// A central without monitors, for a run that only merges the inbox.
  private struct EmptyCentral: Central {
    func events() -> AsyncThrowingStream<[CentralEvent], any Error> { AsyncThrowingStream { $0.finish() } }
  }

  /// Merges the inbox of a store.
  /// - Returns: `nil` if the inbox is empty, or if a gateway runs on the store and merges the inbox itself.
  /// - Throws: `HKError`; ``LostMeasurementsError`` if the store was locked again during the merge.
  package static func run(ofStoreAt path: String) async throws -> Outcome? {
    guard try StoreVault.status(path).inbox.entries > 0, !StoreCare.hasGateway(path) else { return nil }
    var policy = LivePolicy()
    // Do not compute the heart-rate variability and resting heart rate here; the next gateway does.
    policy.derivesFigures = false
    let gateway = HeartRateGateway(
      try MonitorRegistry(SystemStore(at: path)), central: EmptyCentral(), policy: policy)
    let events = gateway.events()
    let listening = Task {
      var outcome = Outcome(tally: IngestionTally(), notices: [])
      for await event in events {
        switch event {
        case .committed(let report): outcome.notices += report.inboxNotices
        case .ended(let tally): outcome.tally = tally
        default: break
        }
      }
      return outcome
    }
    try await gateway.run()
    return await listening.value
  }
}
