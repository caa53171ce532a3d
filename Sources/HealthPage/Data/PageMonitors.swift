package import Foundation
package import HealthSystem

/// The functions by which the page gets the state of monitors. The program that serves the page implements
/// them with a gateway on D-Bus, a gateway in the same process, or just the stored list of monitors. The page
/// itself has no D-Bus or Bluetooth code.
package struct PageMonitors: Sendable {
  /// Returns the state of a store's monitors. `person` is the person to whom the store belongs; `nil` for the
  /// account owner.
  package var report: @Sendable (SystemStore, _ person: String?) async throws -> MonitorReport
  /// Returns the periods without measurements, in chronological order.
  package var gaps: @Sendable (SystemStore, DateInterval) async throws -> [GapView]
  /// Returns a sequence that emits a value when the state of a monitor changes. Only one task may iterate it.
  package var changes: @Sendable () -> AsyncStream<Void>

  package init(
    report: @escaping @Sendable (SystemStore, _ person: String?) async throws -> MonitorReport,
    gaps: @escaping @Sendable (SystemStore, DateInterval) async throws -> [GapView],
    changes: @escaping @Sendable () -> AsyncStream<Void>
  ) {
    (self.report, self.gaps, self.changes) = (report, gaps, changes)
  }
}

/// The state of the gateway and its monitors. Unknown values are absent.
package struct MonitorReport: Encodable, Sendable {
  package struct Gateway: Codable, Sendable {
    package var isRunning: Bool
    /// Whether the gateway is reachable on D-Bus.
    package var onBus: Bool
    package var summary: String?
    package var storeFailure: String?
    package var measurements: UInt64?
    package var stored: UInt64?
    package var duplicates: UInt64?
    package var rejected: UInt64?
    package var waiting: UInt64?

    package init(isRunning: Bool, onBus: Bool) { (self.isRunning, self.onBus) = (isRunning, onBus) }
  }

  /// A monitor. Its JSON is for the browser.
  package struct Monitor: Encodable, Sendable {
    /// The name of the connection state in `hrgate run --json`; `nil` if no gateway is running.
    var state: String?
    var lastMeasurement: Date?
    private let json: any Encodable & Sendable

    package init(_ json: any Encodable & Sendable, state: String?, lastMeasurement: Date?) {
      (self.json, self.state, self.lastMeasurement) = (json, state, lastMeasurement)
    }

    package func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
  }

  package var gateway: Gateway
  /// The monitors in the order in which they were enrolled.
  package var monitors: [Monitor]

  package init(_ gateway: Gateway, _ monitors: [Monitor]) {
    (self.gateway, self.monitors) = (gateway, monitors)
  }
}
