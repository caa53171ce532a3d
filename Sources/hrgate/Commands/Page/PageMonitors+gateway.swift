import Bluetooth
import Foundation
import Gateway
import HealthKit
import HealthPage
import HealthSystem
import Ingestion

extension PageMonitors {
  /// The monitors of a store's registry, with the live status of the gateway.
  init(_ statusStore: StatusStore) {
    self.init(
      report: { store, person in
        let registry = MonitorRegistry(store)
        let monitors = try await registry.monitors()
        // Queried last: if the gateway ends meanwhile, it is not reported as running.
        let isRunning = registry.hasGateway
        return MonitorReport(
          monitors, isRunning: isRunning, status: isRunning ? statusStore.status : nil, person: person,
          now: UInt64(clamping: SystemClocks.now().wall.microsecondsSince1970))
      },
      gaps: { store, span in
        let registry = MonitorRegistry(store)
        let gaps = try await registry.gaps(from: ReceiptTime(span.start), to: ReceiptTime(span.end))
        let names = try await registry.names(of: gaps.map(\.monitor))
        return gaps.map { gap in
          var view = GapView(gap, name: names[gap.monitor])
          view.source = MonitorDescription.sourceIdentifier(of: view.monitor)
          view.text = gap.cause.words
          return view
        }
      },
      changes: { statusStore.changes() })
  }
}

extension ReceiptTime {
  fileprivate init(_ date: Date) {
    self.init(microsecondsSince1970: Microseconds.clamped(date))
  }
}

extension MonitorReport {
  /// - Parameters:
  ///   - status: The status of the gateway; `nil` if it is not available.
  ///   - person: The person whose monitors these are; `nil` for the account owner.
  ///   - now: Microseconds since 1970.
  init(
    _ enrolled: [EnrolledMonitor], isRunning: Bool, status: GatewayStatus?, person: String?, now: UInt64
  ) {
    var gateway = Gateway(isRunning: isRunning, onBus: status != nil)
    gateway.summary = status?.summary
    gateway.storeFailure = status?.storeFailure
    gateway.measurements = status?.measurements
    gateway.stored = status?.stored
    gateway.duplicates = status?.duplicates
    gateway.rejected = status?.rejected
    gateway.waiting = status?.waiting
    self.init(
      gateway,
      enrolled.map { monitor in
        let live = status?.monitors.first {
          $0.address == monitor.address.description && $0.person == person
        }
        return Monitor(monitor, live, now)
      })
  }
}

extension MonitorReport.Monitor {
  fileprivate init(_ monitor: EnrolledMonitor, _ live: MonitorStatus?, _ now: UInt64) {
    var monitor = monitor
    // The state in the registry may be outdated.
    monitor.state = live?.state.map(MonitorState.init(rawValue:))
    if let live {
      monitor.isBonded = live.isBonded
      monitor.battery = live.battery.map(Int.init) ?? monitor.battery
      monitor.adapter = live.adapter.flatMap { BluetoothAddress($0, kind: .publicDevice) }
    }
    self.init(
      PageMonitor(monitor: monitor, live: live, now: now), state: live?.state,
      lastMeasurement: monitor.lastMeasurement?.date)
  }
}

/// A monitor as the page gets it: the members of `hrgate monitors --json`, its source, and the state of a
/// running gateway.
private struct PageMonitor: Encodable, Sendable {
  /// The latest RR intervals, as the monitor sent them.
  struct Beats: Encodable {
    /// Number of RR intervals received since the gateway started. The page shows new intervals when it grows.
    var count: UInt64
    /// The time at which the last interval was received.
    var time: Date
    /// The RR intervals in milliseconds, oldest first.
    var rr: [Double]
  }

  let monitor: EnrolledMonitor
  let live: MonitorStatus?
  let now: UInt64

  private enum CodingKeys: CodingKey {
    case source, detail, advice, heartRate, time, age, contact, beats, measurements
  }

  func encode(to encoder: any Encoder) throws {
    try monitor.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(monitor.sourceIdentifier, forKey: .source)
    guard let live else { return }
    try container.encodeIfPresent(live.detail, forKey: .detail)
    try container.encodeIfPresent(live.advice, forKey: .advice)
    try container.encodeIfPresent(live.heartRate, forKey: .heartRate)
    try container.encodeIfPresent(live.measuredAt.map(Self.date), forKey: .time)
    try container.encodeIfPresent(live.age(at: now), forKey: .age)
    try container.encodeIfPresent(live.hasContact, forKey: .contact)
    if let time = live.beatAt, !live.intervals.isEmpty {
      let beats = Beats(count: live.beats, time: Self.date(time), rr: live.intervals.map { $0 * 1000 })
      try container.encode(beats, forKey: .beats)
    }
    try container.encode(live.measurements, forKey: .measurements)
  }

  private static func date(_ microseconds: UInt64) -> Date {
    Microseconds.date(Int64(clamping: microseconds))
  }
}

extension GapCause {
  /// The cause as text.
  fileprivate var words: String {
    switch self {
    case .linkLoss: "the link was lost"
    case .closedByPeripheral: "taken off or switched off"
    case .closedByHost: "this machine closed the link"
    case .silence: "the monitor was silent"
    case .bondLost: "the bond was lost"
    case .daemonAbsent: "bluetoothd was not running"
    case .busAbsent: "the D-Bus daemon was not running"
    case .adapterAbsent: "the adapter was removed"
    case .adapterOff: "the adapter was off"
    case .overflow: "more data arrived than could be stored"
    case .clockStep: "the clock was set forward"
    case .suspended: "the machine was suspended"
    case .storeUnavailable: "the store could not be written"
    case .inboxDamaged: "what was recorded while the store was locked is damaged"
    case .gatewayStopped: "the gateway was not running"
    case .unknown: "the cause is not known"
    }
  }
}
