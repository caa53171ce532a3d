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
        return MonitorView(monitor, live, now)
      })
  }
}

extension MonitorView {
  fileprivate init(_ monitor: EnrolledMonitor, _ live: MonitorStatus?, _ now: UInt64) {
    self.init(monitor, hasGateway: true)
    source = monitor.sourceIdentifier
    // Use only the state that the running gateway reports. The state in the registry may be outdated.
    state = live?.state
    guard let live else { return }
    bonded = live.isBonded
    battery = live.battery.map(Int.init) ?? battery
    adapter = live.adapter
    (detail, advice) = (live.detail, live.advice)
    heartRate = live.heartRate.map(Int.init)
    time = live.measuredAt.map { Microseconds.date(Int64(clamping: $0)) }
    age = live.age(at: now)
    contact = live.hasContact
    if let time = live.beatAt, !live.intervals.isEmpty {
      beats = Beats(
        count: live.beats, time: Microseconds.date(Int64(clamping: time)),
        rr: live.intervals.map { $0 * 1000 })
    }
    measurements = live.measurements
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
