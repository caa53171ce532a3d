import Bluetooth
import HealthKit
import HealthSystem
package import Ingestion

/// Stores what was recorded while a store was locked, if no gateway runs on it.
package enum InboxMerge {
  package struct Outcome: Sendable {
    /// What became of the measurements.
    package var tally: IngestionTally
    /// What was wrong with the inbox, as sentences.
    package var notices: [String]
  }

  /// A central without monitors: the run consists of the merge.
  private struct EmptyCentral: Central {
    func events() -> AsyncThrowingStream<[CentralEvent], any Error> { AsyncThrowingStream { $0.finish() } }
  }

  /// - Returns: `nil` if nothing was recorded, or a gateway runs, which stores it itself.
  /// - Throws: `HKError`; ``LostMeasurementsError`` if the store was locked again meanwhile.
  package static func run(ofStoreAt path: String) async throws -> Outcome? {
    guard try StoreVault.status(path).inbox.entries > 0, !StoreCare.hasGateway(path) else { return nil }
    var policy = LivePolicy()
    // The next gateway derives.
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
