import Bluetooth
import BlueZ
import Foundation
import Ingestion

/// What `hrgate run --json` prints, one object a line. The names are a promise; what is not known is absent.
enum RunEvent {
  /// A monitor is in another state.
  struct State: Encodable {
    let event = "state"
    var time: String
    var monitor: String
    var name: String?
    var state: String
    var adapter: String?
    /// What bluetoothd said.
    var detail: String?
    /// What the user may do.
    var advice: String?

    init(_ status: FollowStatus, name: String?, at time: Date) {
      self.time = Timestamp.text(time)
      monitor = status.monitor.description
      self.name = name
      state = status.state.rawValue
      adapter = status.adapter?.description
      detail = status.detail
      advice = status.state.advice
    }
  }

  /// The store does not take what was measured, or takes it again.
  struct Store: Encodable {
    let event = "store"
    var time: String
    /// How many samples wait in memory.
    var heldBack: Int
    var failure: String?
  }

  /// So many events are missing here: nobody read what was printed.
  struct Dropped: Encodable {
    let event = "dropped"
    var count: Int
  }

  /// The run is over; the counts are its whole account.
  struct End: Encodable {
    let event = "end"
    var time: String
    var measurements: Int
    var stored: [String: Int]
    var duplicates: Int
    var rejected: [String: Int]
    var anomalies: [String: Int]
    var monitors: [ReplayLine.Monitor]

    init(_ tally: IngestionTally, at time: Date) {
      self.time = Timestamp.text(time)
      measurements = tally.measurements
      stored = tally.stored
      duplicates = tally.duplicates
      rejected = Dictionary(uniqueKeysWithValues: tally.rejected.map { ($0.key.rawValue, $0.value) })
      anomalies = tally.anomalies
      monitors = tally.monitors.map(ReplayLine.Monitor.init)
    }
  }
}
