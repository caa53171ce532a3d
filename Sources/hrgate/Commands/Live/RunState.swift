import BlueZ
import Bluetooth
import BluetoothCentral
import Foundation
import Gateway
import Ingestion

/// How things stand with a running gateway, by what it has told.
struct RunState {
  /// A monitor, and what was told of it in this run.
  struct Monitor {
    /// As it was enrolled.
    var enrolled: EnrolledMonitor
    var status: FollowStatus?
    /// Since when it is in this state.
    var since: ReceiptTime?
    /// The last that came, and the clocks when the gateway told it.
    var latest: (measurement: LiveMeasurement, told: SystemClocks)?
    /// Percent, as told in this run.
    var battery: Int?
    /// How it was last heard.
    var signal: HeardSignal?
    /// How many came and were counted with a commit.
    var measurements = 0
  }

  /// In the order in which they were enrolled.
  private(set) var monitors: [Monitor] = []
  private(set) var tally = IngestionTally()
  private(set) var heldBack = 0
  /// Why the store does not take what was measured.
  private(set) var storeFailure: String?
  /// The last time in which the clock was ahead, as became known in this run.
  private(set) var clockError: ClockError?
  /// Why no figures are derived.
  private(set) var derivationFailure: String?
  /// Why the store does not take what became known of the clock, while there is such.
  private(set) var clockRefusal: String?
  private(set) var hasEnded = false
  /// Another gateway runs on the store, as a sentence that has its process.
  private(set) var waiting: String?
  /// The destinations that get nothing now, in the order of their names.
  private(set) var troubles: [SyncNews] = []

  func monitor(_ address: BluetoothAddress) -> Monitor? { monitors.first { $0.enrolled.address == address } }

  mutating func receive(_ event: TimedGatewayEvent) {
    switch event.event {
    case .waiting(let process): waiting = RunEvent.Waiting.sentence(process)
    case .enrolled(let enrolled):
      waiting = nil
      monitors = enrolled.map { enrolled in
        var monitor = monitor(enrolled.address) ?? Monitor(enrolled: enrolled)
        monitor.enrolled = enrolled
        return monitor
      }
    case .state(let status):
      update(status.monitor) { monitor in
        if monitor.status?.state != status.state { monitor.since = event.told.wall }
        monitor.status = status
      }
    case .measured(let measurements):
      for measurement in measurements {
        update(measurement.monitor) { $0.latest = (measurement, event.told) }
      }
    case .battery(let battery):
      update(battery.monitor) { $0.battery = battery.percentage }
    case .heard(let signal):
      update(signal.monitor) { $0.signal = signal }
    case .committed(let report):
      count(report.tally)
      heldBack = report.heldBack
      storeFailure = report.failure?.localizedDescription
      clockError = report.clockErrors.last ?? clockError
      clockRefusal = report.clockRefusal?.localizedDescription ?? clockRefusal
      if report.tally.refusedClockChanges == 0 { clockRefusal = nil }
    case .derived(let report): derivationFailure = report.failure?.localizedDescription
    case .missed: break
    case .ended(let tally):
      count(tally)
      hasEnded = true
    }
  }

  mutating func receive(_ news: SyncNews) {
    troubles.removeAll { $0.destination == news.destination }
    guard news.state.isTrouble else { return }
    let place = troubles.firstIndex { $0.destination > news.destination } ?? troubles.endIndex
    troubles.insert(news, at: place)
  }

  private mutating func count(_ tally: IngestionTally) {
    self.tally = tally
    for counted in tally.monitors {
      guard case .address(let address) = counted.peripheral else { continue }
      update(address) { $0.measurements = counted.measurements }
    }
  }

  /// Nothing is kept of a monitor that was forgotten.
  private mutating func update(_ address: BluetoothAddress, _ change: (inout Monitor) -> Void) {
    guard let place = monitors.firstIndex(where: { $0.enrolled.address == address }) else { return }
    change(&monitors[place])
  }
}
