package import Foundation
package import HealthSystem

/// Access to the state of monitors. The caller implements it with a gateway on D-Bus, a gateway in the same
/// process, or the registry alone. The page knows no D-Bus and no radio.
package struct PageMonitors: Sendable {
  /// Returns the state of a store's monitors. `person` is the person whose store it is; `nil` for the owner.
  package var report: @Sendable (SystemStore, _ person: String?) async throws -> MonitorReport
  /// Returns the gaps in the measurements in order of time.
  package var gaps: @Sendable (SystemStore, DateInterval) async throws -> [GapView]
  /// Emits an element when the state of monitors has changed. For one reader.
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
package struct MonitorReport: Codable, Sendable, Hashable {
  package struct Gateway: Codable, Sendable, Hashable {
    package var isRunning: Bool
    /// Whether it is reachable on D-Bus.
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

  package var gateway: Gateway
  /// In order of enrollment.
  package var monitors: [MonitorView]

  package init(_ gateway: Gateway, _ monitors: [MonitorView]) {
    (self.gateway, self.monitors) = (gateway, monitors)
  }
}
