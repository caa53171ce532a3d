package import Foundation
package import HealthSystem

/// What the page knows of monitors. Where it comes from is the business of whoever serves the page: a gateway
/// on a bus, one in the same program, or the registry alone. The page knows no bus and no radio.
package struct PageMonitors: Sendable {
  /// How the monitors of a store stand; of the person whose store it is, where that is not the owner's.
  package var report: @Sendable (SystemStore, _ person: String?) async throws -> MonitorReport
  /// What is missing of what monitors sent, in order of time.
  package var gaps: @Sendable (SystemStore, DateInterval) async throws -> [GapView]
  /// Ticks when a gateway tells something new, for one reader.
  package var changes: @Sendable () -> AsyncStream<Void>

  package init(
    report: @escaping @Sendable (SystemStore, _ person: String?) async throws -> MonitorReport,
    gaps: @escaping @Sendable (SystemStore, DateInterval) async throws -> [GapView],
    changes: @escaping @Sendable () -> AsyncStream<Void>
  ) {
    (self.report, self.gaps, self.changes) = (report, gaps, changes)
  }
}

/// What is not known is absent.
package struct MonitorReport: Codable, Sendable, Hashable {
  package struct Gateway: Codable, Sendable, Hashable {
    package var isRunning: Bool
    /// Whether it can be asked.
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
  /// In the order in which they were enrolled.
  package var monitors: [MonitorView]

  package init(_ gateway: Gateway, _ monitors: [MonitorView]) {
    (self.gateway, self.monitors) = (gateway, monitors)
  }
}
