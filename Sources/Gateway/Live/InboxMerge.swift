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
  /// - Returns: `nil` if there is no inbox, or if a gateway runs on the store and merges the inbox itself.
  /// - Throws: `HKError` if the store cannot be opened or does not accept the measurements, or was locked
  ///   again. They are still in the inbox then.
  package static func run(ofStoreAt path: String) async throws -> Outcome? {
    guard try StoreVault.status(path).inbox.bytes > 0, !StoreCare.hasGateway(path) else { return nil }
    var policy = LivePolicy()
    // Do not compute the heart-rate variability and resting heart rate here; the next gateway does.
    policy.derivesFigures = false
    let gateway = HeartRateGateway(
      try MonitorRegistry(SystemStore(at: path)), central: EmptyCentral(), policy: policy)
    let events = gateway.events()
    let listening = Task {
      var outcome = Outcome(tally: IngestionTally(), notices: [])
      var last: CommitReport?
      for await event in events {
        switch event {
        case .committed(let report):
          outcome.notices += report.inboxNotices
          last = report
        case .ended(let tally): outcome.tally = tally
        default: break
        }
      }
      return (outcome, last)
    }
    do {
      try await gateway.run()
    } catch let error as LostMeasurementsError where error.count == 0 {
      // The run has no measurements of its own.
      return try HKError.translating { throw error.cause }
    }
    let (outcome, last) = await listening.value
    if let last, last.isSealing, let failure = last.failure {
      return try HKError.translating { throw failure }
    }
    return outcome
  }
}
